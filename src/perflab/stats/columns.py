"""A table as columns: what a run's samples and forks are read into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perflab.stats.arrays import np

if TYPE_CHECKING:
    from collections.abc import Container

    from numpy.typing import NDArray


class Columns(dict[str, "NDArray[Any]"]):
    """A table's columns by name, arrays of one length. A missing number is NaN, a missing text is empty."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.values()), ()))

    def cells(self, *names: str) -> list[tuple[Any, ...]]:
        """Return each row's cells in these columns."""
        return list(zip(*(self[name].tolist() for name in names), strict=True))

    def where(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Columns:
        """Return the rows for which a mask is true, or those of an array of indices."""
        return Columns((name, column[rows]) for name, column in self.items())

    def among(self, wanted: Container[tuple[Any, ...]], *names: str) -> Columns:
        """Return the rows whose cells in these columns are among those wanted."""
        return self.where(np.array([cells in wanted for cells in self.cells(*names)], bool))
