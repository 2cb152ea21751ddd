"""Force elements: their properties (table), and the compiled force laws (laws, tables)."""
