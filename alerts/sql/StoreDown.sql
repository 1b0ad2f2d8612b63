-- Nothing but that the store answers: the rule fires when it does not.
SELECT toFloat64(0) AS value
