"""Joint types: what each is called and stores (table), how it moves (one file a type), and the dispatch by code."""
