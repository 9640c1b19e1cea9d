"""Progress that is told to no one."""


class Silent:
    """Ignores all progress; a `perflab.model.progress.Progress`."""

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Ignore it."""

    def note(self, text: str) -> None:
        """Ignore it."""
