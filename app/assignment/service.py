"""Service of assignment: what other rooms may call; each part has its own module."""

from app.assignment.cards import ItemCard as ItemCard
from app.assignment.cards import card_of as card_of
from app.assignment.cards import cards_of as cards_of
from app.assignment.graders import add_grader as add_grader
from app.assignment.graders import find_grader as find_grader
from app.assignment.graders import grader_by_name as grader_by_name
from app.assignment.graders import grader_of as grader_of
from app.assignment.graders import imported_grader as imported_grader
from app.assignment.graders import list_graders as list_graders
from app.assignment.grades import Given as Given
from app.assignment.grades import give_grade as give_grade
from app.assignment.grades import set_note as set_note
from app.assignment.grades import withdraw as withdraw
from app.assignment.queue import Held as Held
from app.assignment.queue import SlotView as SlotView
from app.assignment.queue import claim as claim
from app.assignment.queue import next_slot as next_slot
from app.assignment.queue import peek as peek
from app.assignment.queue import slot_view as slot_view
from app.assignment.skips import skip as skip
