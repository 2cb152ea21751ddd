"""Force elements: what is known of each (table), and the compiled force laws (laws, tables)."""
