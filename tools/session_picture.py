"""Renders a terminal as SVG without scripts or embedded fonts, for light and dark pages."""

from collections.abc import Iterator, Sequence
from html import escape

from session_terminal import Run, Size

_LETTER = 8.4
_LINE = 20
_ASIDE = 20
_BAR = 38
_FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" \
role="img" aria-label="{title}">
<style>
text {{ font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #c9d1d9;
  white-space: pre }}
.prompt {{ fill: #56d364; font-weight: bold }}
.typed {{ fill: #ffffff; font-weight: bold }}
.title {{ fill: #8b949e; text-anchor: middle }}
</style>
<rect x=".5" y=".5" width="{inner:.0f}" height="{inner_height}" rx="10" fill="#0d1117" stroke="#6e7681" \
stroke-opacity=".5"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/>
<circle cx="42" cy="20" r="6" fill="#febc2e"/>
<circle cx="62" cy="20" r="6" fill="#28c840"/>
<text class="title" x="{middle:.0f}" y="25">{title}</text>
{lines}
</svg>
"""
_CLASSES = {"1;32": ' class="prompt"', "1": ' class="typed"'}


def picture(lines: Sequence[Sequence[Run]], *, size: Size, title: str) -> str:
    """Return lines as a terminal of this width shows them."""
    width, height = size.columns * _LETTER + 2 * _ASIDE, _BAR + len(lines) * _LINE + _ASIDE
    drawn = [text for row, line in enumerate(lines) for text in _line(line, y=_BAR + 16 + row * _LINE)]
    return _FRAME.format(
        width=width,
        height=height,
        inner=width - 1,
        inner_height=height - 1,
        middle=width / 2,
        title=escape(title),
        lines="\n".join(drawn),
    )


def _line(line: Sequence[Run], *, y: int) -> Iterator[str]:
    """Return one line. Each run has an explicit width, because fonts differ."""
    for run in line:
        x, length = _ASIDE + run.column * _LETTER, len(run.text) * _LETTER
        kind = _CLASSES.get(run.style, "")
        yield f'<text{kind} x="{x:.1f}" y="{y}" textLength="{length:.1f}">{escape(run.text, quote=False)}</text>'
