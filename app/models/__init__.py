"""Models: the tables, one file a room."""

from app.models.accounts import ApiToken, BrowserSession, PersonalLink, User
from app.models.agreement import GateReport
from app.models.assignment import Block, Claim, GradeEvent, Grader, Plan, Skip, Slot
from app.models.base import Base
from app.models.corpus import UNKNOWN, Document, DocumentVersion
from app.models.evaluation import Evaluation, Score
from app.models.judging import Attempt, Batch, BatchChunk, BatchPair, Judge
from app.models.pooling import Item, Member, Pool, PoolItem, PoolRun
from app.models.projects import AuditEvent, Guideline, Import, Membership, Project
from app.models.queries import Query, QueryVersion
from app.models.releases import Release, ReleaseLabel, ReleaseQuery
from app.models.retrieval import Hit, Run, RunQuery
from app.models.work import Worker

__all__ = [
    "UNKNOWN",
    "ApiToken",
    "Attempt",
    "AuditEvent",
    "Base",
    "Batch",
    "BatchChunk",
    "BatchPair",
    "Block",
    "BrowserSession",
    "Claim",
    "Document",
    "DocumentVersion",
    "Evaluation",
    "GateReport",
    "GradeEvent",
    "Grader",
    "Guideline",
    "Hit",
    "Import",
    "Item",
    "Judge",
    "Member",
    "Membership",
    "PersonalLink",
    "Plan",
    "Pool",
    "PoolItem",
    "PoolRun",
    "Project",
    "Query",
    "QueryVersion",
    "Release",
    "ReleaseLabel",
    "ReleaseQuery",
    "Run",
    "RunQuery",
    "Score",
    "Skip",
    "Slot",
    "User",
    "Worker",
]
