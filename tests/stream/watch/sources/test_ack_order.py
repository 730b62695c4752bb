from dualres.stream.watch.sources.ack_order import Receipts


def test_acknowledgements_keep_the_order_in_which_messages_came():
    sent = []
    receipts = Receipts(lambda number, qos: sent.append((number, qos)))
    first, second, third = (receipts.of(number, 1) for number in (7, 3, 9))
    second()
    third()
    assert sent == []
    first()
    first()
    assert sent == [(7, 1), (3, 1), (9, 1)]


def test_messages_that_need_no_acknowledgement_hold_up_nobody():
    sent = []
    receipts = Receipts(lambda number, qos: sent.append(number))
    for acknowledge in (receipts.of(0, 0), receipts.of(1, 1))[::-1]:
        acknowledge()
    assert sent == [1]


def test_messages_of_an_earlier_connection_are_not_acknowledged():
    sent = []
    receipts = Receipts(lambda number, qos: sent.append(number))
    before = receipts.of(1, 1)
    receipts.forget()
    now = receipts.of(1, 1)
    before()
    assert sent == []
    now()
    assert sent == [1]
