from dualres.utils.html import escape, name, table


def test_text_from_files_is_neither_markup_nor_steers_anything():
    hostile = "<b>&\"'\x1b[31m\x07\u202eright"
    shown = r"&lt;b&gt;&amp;&quot;&#x27;\x1b[31m\x07\u202eright"
    assert escape(hostile) == shown
    assert name(hostile) == shown.replace("/", "/<wbr>")
    assert f"<td>{shown}</td>" in table(["a"], [[hostile]])
