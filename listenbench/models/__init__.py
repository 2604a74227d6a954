"""Asking real models: what they are shown, how their replies are read, and whole runs.

Inspect (inspect_ai) brings providers, retries, concurrency and logs; `inspect_task` and `run` need it, from
the extra `listenbench[inspect]`. The other modules here don't.
"""
