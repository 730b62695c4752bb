"""News for open pages: all of it in order, and for a page that is too slow a word that it should look anew."""

import asyncio

from dualres.web.events import WAITING, Events


def test_every_page_hears_everything_until_the_end() -> None:
    async def heard() -> list[str]:
        events, found = Events(), []
        page = events.listen()
        found.append(await anext(page))
        for number in range(3):
            events.publish("wave", {"number": number})
            found.append(await anext(page))
        events.end()
        found += [text async for text in page]
        return found

    hello, *news, end = asyncio.run(heard())
    assert hello.startswith("event: hello")
    assert news == [f'event: wave\ndata: {{"number": {number}}}\n\n' for number in range(3)]
    assert end.startswith("event: end")


def test_a_slow_page_is_told_to_look_anew() -> None:
    async def heard() -> list[str]:
        events = Events()
        page = events.listen()
        await anext(page)
        for number in range(WAITING + 1):
            events.publish("wave", {"number": number})
        await asyncio.sleep(0)
        return [await anext(page)]

    (only,) = asyncio.run(heard())
    assert only.startswith("event: hello")


def test_news_before_anybody_listens_is_no_error() -> None:
    Events().publish("wave", {})
