"""Reference listeners: they see what a model sees, and write a predictions file as a model would."""

from listenbench.listeners.predictions import write_predictions
from listenbench.listeners.registry import NAMES, predict

__all__ = ["NAMES", "predict", "write_predictions"]
