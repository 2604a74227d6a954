"""The errors that listenbench raises; each message is one line that says what to do."""


class ListenbenchError(Exception):
    """Root of all errors that a wrong input or a missing resource can cause.

    The command line prints its message on one line and exits with status 2.
    """


class SpecError(ListenbenchError):
    """A split, an option or a parameter asks for something that can't be had."""


class DataError(ListenbenchError):
    """A data set, an answer key or a predictions file is not what it should be."""


class RenderError(ListenbenchError):
    """A clip could not be rendered as planned: no soundfont, no preset, no sound, or too loud."""
