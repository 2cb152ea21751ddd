"""From a run to numbers on disk and back: preparation, result files, reports, export."""
