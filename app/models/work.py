"""Work: the worker processes that are alive."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base


class Worker(Base, kw_only=True):
    """A worker and when it was last seen, on the database's clock."""

    __tablename__ = "workers"

    executor_id: Mapped[str] = mapped_column(primary_key=True)
    seen: Mapped[datetime]
