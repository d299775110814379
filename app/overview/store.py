"""Store of the overview: counts, each from an index or from what was counted before."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models import (
    Batch,
    Block,
    Claim,
    Import,
    Membership,
    Pool,
    PoolRun,
    Run,
)


def count_run_states(session: Session, project_id: int) -> dict[str, int]:
    rows = session.execute(
        select(Run.state, func.count()).where(Run.project_id == project_id).group_by(Run.state)
    )
    return {row[0]: row[1] for row in rows}


def first_pool(session: Session, project_id: int) -> Pool | None:
    return session.scalars(
        select(Pool).where(Pool.project_id == project_id).order_by(Pool.id).limit(1)
    ).one_or_none()


def unpooled_runs(session: Session, project_id: int, pool_id: int) -> list[str]:
    """Return the names of finished runs that a pool does not hold."""
    pooled = select(PoolRun.run_id).where(PoolRun.pool_id == pool_id)
    return list(
        session.scalars(
            select(Run.name)
            .where(Run.project_id == project_id, Run.state == "done", Run.id.not_in(pooled))
            .order_by(Run.id)
        )
    )


def count_block_states(session: Session, project_id: int) -> dict[str, int]:
    rows = session.execute(
        select(Block.state, func.count())
        .where(Block.project_id == project_id)
        .group_by(Block.state)
    )
    return {row[0]: row[1] for row in rows}


def has_claims(session: Session, project_id: int) -> bool:
    """Tell whether anybody ever took a block to grade."""
    claimed = (
        select(Claim.block_id)
        .join(Block, Block.id == Claim.block_id)
        .where(Block.project_id == project_id)
    )
    return bool(session.scalar(select(claimed.exists())))


def count_imported_grades(session: Session, project_id: int) -> int:
    """Count the rows of imported grades, from the notes kept at import."""
    return (
        session.scalar(
            select(func.sum(Import.rows)).where(
                Import.project_id == project_id, Import.kind.in_(("qrels", "grades"))
            )
        )
        or 0
    )


def count_people(session: Session, project_id: int) -> int:
    """Count the people who may grade."""
    return (
        session.scalar(
            select(func.count(Membership.user_id.distinct())).where(
                Membership.project_id == project_id,
                Membership.role.in_(("sme", "adjudicator")),
            )
        )
        or 0
    )


def count_open_pairs(session: Session, project_id: int) -> int:
    """Count the pairs of the batches that are at work."""
    return (
        session.scalar(
            select(func.sum(Batch.pairs)).where(
                Batch.project_id == project_id, Batch.state.in_(("planned", "running"))
            )
        )
        or 0
    )
