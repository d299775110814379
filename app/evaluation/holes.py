"""Holes: what a run found and nobody has labelled, sent to be graded."""

from sqlalchemy.orm import Session

from app.models import Project
from app.pooling import service as pooling
from app.pooling.service import PoolReport


def queue_holes(
    session: Session, project: Project, name: str, depth: int, *, by: int | None = None
) -> PoolReport:
    """Extend the pool by what one run found, so that its unlabelled hits can be graded."""
    return pooling.extend(session, project, run_names=[name], depth=depth, by=by)
