"""WAV files are those that Python's own writer makes."""

import io
import wave

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from listenbench.audio import SAMPLE_RATE, encoded, read_samples


def written_by_python(samples):
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, samples.size, "NONE", "not compressed"))
        file.writeframes(samples.astype("<i2").tobytes())
    return buffer.getvalue()


@given(arrays(np.int16, st.integers(0, 300)))
def test_a_file_is_what_pythons_own_writer_makes(samples):
    assert encoded(samples) == written_by_python(samples)
    assert encoded(samples[::2]) == written_by_python(samples[::2])


@pytest.mark.parametrize("size", [0, 1, 44_101])
def test_a_file_is_read_back(tmp_path, size):
    samples = np.random.default_rng(1).integers(-32_768, 32_767, size, np.int16, endpoint=True)
    path = tmp_path / "recording.wav"
    path.write_bytes(encoded(samples))
    np.testing.assert_array_equal(read_samples(path), samples)
