"""A seeded fuzzer of the command line: valid files are damaged, every verb is called on them, and each end is judged.

    python -m tests.campaigns.fuzzing --seed 1 --count 20000 [--verb run] [--jobs 2] [--keep FOLDER]

`models` and `corpus` hold the valid files, `commands` what is typed, `text_mutations`, `byte_mutations`,
`table_mutations` and `hdf5_mutations` the damage, `judge` says what a good end is, `workers` runs the calls within
bounds of time and memory. Case number i of a seed is always the same case.
"""
