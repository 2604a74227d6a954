"""What worker processes are given, and what the process that starts them keeps."""

import os

import numpy as np
from threadpoolctl import threadpool_info

from listenbench.workers import processes

NUMBER = "OPENBLAS_NUM_THREADS"


def test_workers_multiply_with_one_thread(monkeypatch):
    monkeypatch.delenv(NUMBER, raising=False)
    with processes(1) as pool:
        pool.submit(np.zeros, 1).result()  # loads NumPy there
        libraries = pool.submit(threadpool_info).result()
    assert {library["num_threads"] for library in libraries} == {1}
    assert NUMBER not in os.environ


def test_a_number_of_threads_that_somebody_has_set_stands(monkeypatch):
    monkeypatch.setenv(NUMBER, "2")
    with processes(1) as pool:
        assert pool.submit(os.getenv, NUMBER).result() == "2"
    assert os.environ[NUMBER] == "2"
