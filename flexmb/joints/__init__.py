"""Joint types: names and stored coordinates (table), kinematics (one file per type), and the dispatch by code."""
