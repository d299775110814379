"""Service of the overview: the state of a project, and what changed in it."""

from typing import Any

from sqlalchemy.orm import Session

from app.agreement import service as agreement
from app.assignment import service as assignment
from app.corpus import service as corpus
from app.evaluation import service as evaluation
from app.models import AuditEvent, Plan, Project
from app.overview import store
from app.overview.steps import State, next_step
from app.projects import service as projects
from app.queries import service as queries
from app.releases import service as releases

OPEN_RUNS = ("planned", "running")
RANK = {"trusted": 0, "not enough labels": 1, "not trusted": 2}


def state_of(session: Session, project: Project) -> State:
    """Count where a project stands, without looking at single items."""
    runs = store.count_run_states(session, project.id)
    asked = queries.counts(session, project.id)
    return State(
        documents=corpus.counts(session, project.id).known,
        queries=asked.queries,
        unanswerable=asked.unanswerable,
        runs=runs.get("done", 0),
        runs_open=sum(runs.get(state, 0) for state in OPEN_RUNS),
        runs_failed=runs.get("failed", 0),
        imported_grades=store.count_imported_grades(session, project.id),
        people=store.count_people(session, project.id),
        judge_open=store.count_open_pairs(session, project.id),
        **_count_pool(session, project.id),
        **_count_blocks(session, project.id),
        **_find_gate(session, project.id),
        **_find_release(session, project.id),
    )


def _count_pool(session: Session, project_id: int) -> dict[str, Any]:
    pool = store.first_pool(session, project_id)
    if pool is None:
        return {}
    counted = pool.statistics
    return {
        "pool_items": counted.get("items", 0),
        "pool_gradable": counted.get("gradable", counted.get("items", 0)),
        "pool_depth": pool.depth,
        "unpooled": tuple(store.unpooled_runs(session, project_id, pool.id)),
    }


def _count_blocks(session: Session, project_id: int) -> dict[str, Any]:
    blocks = store.count_block_states(session, project_id)
    plans = assignment.list_plans(session, project_id)
    return {
        "blocks": sum(blocks.values()),
        "blocks_done": blocks.get("done", 0),
        "grades_planned": sum(map(_count_grades, plans)),
        "started": store.has_claims(session, project_id),
    }


def _count_grades(plan: Plan) -> int:
    """Return how many grades one wave asked for, as noted when it was planned."""
    noted = plan.settings
    if plan.kind == "validation":
        return int(noted.get("sample", 0) * noted.get("seats", 1))
    return int(noted.get("rest", 0))


def _find_gate(session: Session, project_id: int) -> dict[str, Any]:
    """Return the best answer that any judge's gate gave so far."""
    judges = agreement.judges_of(session, project_id)
    looks = (agreement.newest_report(session, project_id, judge) for judge in judges)
    reports = sorted(
        (report for report in looks if report is not None),
        key=lambda report: RANK.get(report.answer, len(RANK)),
    )
    if not reports:
        return {"judges": len(judges)}
    best = reports[0]
    return {
        "judges": len(judges),
        "gate": best.answer,
        "gate_judge": best.judge,
        "gate_missing": "; ".join(best.missing),
    }


def _find_release(session: Session, project_id: int) -> dict[str, Any]:
    made = releases.releases_of(session, project_id)
    if not made:
        return {}
    release = made[0]
    return {
        "release": release.number,
        "release_labels": release.manifest.get("labels", 0),
        "scored": evaluation.count_scored(session, release.id),
    }


def newest_events(session: Session, project: Project) -> list[tuple[AuditEvent, str]]:
    """Return what changed lately, newest first, each with the name of who did it."""
    return projects.newest_events(session, project.id)


def as_json(project: Project, state: State) -> dict[str, Any]:
    """Return a project's state for programs."""
    step = next_step(state)
    return {
        "project": project.slug,
        "name": project.name,
        "cut": project.cut,
        "documents": state.documents,
        "queries": state.queries,
        "runs": state.runs,
        "pool_items": state.pool_items,
        "blocks": state.blocks,
        "blocks_done": state.blocks_done,
        "imported_grades": state.imported_grades,
        "judges": state.judges,
        "gate": state.gate,
        "release": state.release,
        "scored_runs": state.scored,
        "next": {"sentence": step.sentence, "price": step.price},
    }
