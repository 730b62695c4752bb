"""Alarms at a stated rate."""

from dualres.stream.alarm.alarm import Alarm as Alarm
from dualres.stream.alarm.alarm_rate import rate_of as rate_of
