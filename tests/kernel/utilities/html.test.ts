/** Tests `html-to-markdown`, also against that of just-bash, whose names and options it has. */
import { Bash } from "just-bash"
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"

const run = async (html: string, options = "") => {
  await using sandbox = await Sandbox.open({ files: { "page.html": html }, env: { LC_ALL: "C.UTF-8" } })
  return await sandbox.run(`html-to-markdown ${options} page.html`, { check: false })
}

/** Lines without blanks at their ends; several empty ones as one. */
const normalize = (markdown: string): string => markdown.replace(/ +$/gm, "").replace(/\n{3,}/g, "\n\n")

it.each([
  ["headings", "<title>T</title><h1>Hello <em>big</em> world</h1><h2>Two</h2><h6>Six</h6>text"],
  ["marks and blanks", "<p>A <strong>bold</strong>,<b> spaced </b>, <i>it</i>\n  x<i></i><b> </b>y</p>"],
  [
    "links",
    `<p><a href="https://x.example/a b" title='A "t"'>a link</a> <a href="x(1)">b</a> <a>c</a></p><p><a href="#x"></a>d</p>`,
  ],
  [
    "images",
    `<img src="a.png" alt="An [image]" title="t"><img alt="none"><p>x <a href="u"><img src="i.png"></a> y</p>`,
  ],
  [
    "lists",
    "<ul><li>one</li><li>two <b>x</b><ul><li>in</li><li>in 2</li></ul></li></ul><ol start=3><li>three<li>four</ol>",
  ],
  ["loose lists", "<ul><li><p>one</p><p>more</p></li><li><p>two</p></li></ul><p>end"],
  [
    "quotations",
    "<blockquote><p>one</p><p>two</p><ul><li>in quote</li></ul><blockquote>inner</blockquote></blockquote>after",
  ],
  [
    "code",
    "<p><code>a  b</code> <code>c `x` d</code> <code>`</code></p><pre><code class='language-js'>let a;\n  b &lt; 2\n</code></pre>",
  ],
  ["fences in code", "<pre><code>a\n```\nb</code></pre>"],
  ["breaks and rules", "a<br>b<br/><br>c<hr>d"],
  [
    "what Markdown would read",
    "<p>* x</p><p>1. x</p><p># x</p><p>- x</p><p>+ x</p><p>&gt; x</p><p>=== x</p><p>a_b *c* [d] \\ `</p>",
  ],
  ["tables, as paragraphs", "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"],
  ["elements without an end", "<p>one<p>two<dl><dt>T<dd>D</dl><table><tr><td>1<td>2<tr><td>3</table>"],
  ["what is left out", "a<script>var x = '<p>'</script><style>p{}</style><!-- c --><footer>f<p>g</p></footer>b"],
  ["references", "<p>&lt;b&gt; &amp;amp; &copy; &eacute; &#8212; &#x41; &nbsp;x &hellip; &unknown; & &#150;"],
  ["blocks in blocks", "<div><div>a <span>b</span></div> c</div><section><h3>d</h3>e</section>"],
])("writes %s as just-bash does", async (_, html) => {
  const { stdout } = await new Bash({ defenseInDepth: false }).exec("html-to-markdown", { stdin: html })
  expect(normalize((await run(html)).stdout)).toBe(normalize(stdout))
})

it("has the options of just-bash", async () => {
  const html = "<h1>One</h1><h2>Two x</h2><h3>Three</h3><ul><li>a</ul><hr><pre>x</pre>"
  const { stdout } = await run(html, "-b + --code='~~~' -r '* * *' --heading-style=setext")
  expect(stdout).toBe("One\n===\n\nTwo x\n-----\n\n### Three\n\n+   a\n\n* * *\n\n~~~\nx\n~~~\n")
})

it.each([
  ["-b x", "html-to-markdown: invalid bullet marker 'x': use -, + or *\n"],
  ["-c x", "html-to-markdown: invalid code fence 'x': use ``` or ~~~\n"],
  ["--heading-style=x", "html-to-markdown: invalid heading style 'x': use atx or setext\n"],
  ["--zzz", "html-to-markdown: unrecognized option '--zzz'\n"],
  ["missing", "html-to-markdown: extra operand 'page.html'\nTry 'html-to-markdown --help' for more information.\n"],
])("refuses %s", async (options, message) => {
  const { exitCode, stderr } = await run("<p>", options)
  expect([stderr.replaceAll(/[‘’]/g, "'"), exitCode]).toEqual([message, 1])
})

it("reads standard input, and writes nothing for nothing", async () => {
  await using sandbox = await Sandbox.open()
  const { stdout } = await sandbox.run(
    "echo '<p>a</p>' | html-to-markdown; printf '  ' | html-to-markdown; echo '<p>b' | html-to-markdown -",
  )
  expect(stdout).toBe("a\nb\n")
})

it("fences <pre> without <code>, and keeps links out of code and text in links", async () => {
  const { stdout } = await run("<pre>a_b\n</pre><code>&lt;<a href=u>x</a>></code><a href=v><div>y</div></a>")
  expect(stdout).toBe("```\na_b\n```\n\n`<x>`\n\n[y](v)\n")
})

// turndown takes seconds or its whole stack for most of these.
it.each([
  ["<div>", ""],
  ["<b>", ""],
  ["<b><p>", ""],
  ["<ul><li>", ""],
  ["<table><td>", ""],
  ["<p a='", ""],
  ["<!--", ""],
  ["&a", "&a"],
])("stays fast for many of %s", async (part, expected) => {
  const { exitCode, stdout } = await run(part.repeat(100_000))
  expect(stdout.slice(0, 2)).toBe(expected)
  expect(exitCode).toBe(0)
})

it("refuses a page that is too long", async () => {
  await using sandbox = await Sandbox.open()
  const { stderr, exitCode } = await sandbox.run("yes '<p>' | html-to-markdown", { check: false })
  expect([stderr, exitCode]).toEqual(["html-to-markdown: -: the page is longer than 4194304 characters\n", 1])
})
