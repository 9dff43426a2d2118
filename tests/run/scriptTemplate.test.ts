import { expect, it } from "vitest"
import { $, run, secret, shell, TemplateError } from "../../src/run/mod.ts"

/** Text that means something wherever a shell reads it as script. */
const hostile = [
  "a b  c",
  "it's",
  `"; echo gone; "`,
  "$(echo gone)",
  "`echo gone`",
  "${HOME}",
  "x\necho gone",
  "a[$(echo gone >&2)]",
  "\\",
  "*",
  "~",
  "-n",
  "",
  "EOF\necho gone",
  "| cat; & > /dev/null < x # y",
]

it.each(hostile)("gives a value to the script as one word: %j", async (value) => {
  expect(await shell`printf ${"%s|"} ${value} x${value}y`.bytes()).toEqual(
    new TextEncoder().encode(`${value}|x${value}y|`),
  )
  const inFunction = shell`f() { for w in "$@"; do printf "<%s>" "$w"; done; }; f a ${value} b`
  expect((await inFunction).stdout).toBe(`<a><${value}><b>`)
})

it.each(hostile)("gives it whole in quotes, here-documents, backquotes and substitutions: %j", async (value) => {
  const inner = value.replace(/\n+$/, "")
  expect((await shell`printf %s "[${value}]"`).stdout).toBe(`[${value}]`)
  expect((await shell`printf %s "[$(printf '<%s>' ${value})]"`).stdout).toBe(`[<${inner}>]`)
  expect((await shell`printf %s "[\`printf '<%s>' ${value}\`]"`).stdout).toBe(`[<${inner}>]`)
  const document = shell`cat <<EOF
it's [${value}] "here"
EOF
printf '<%s>' ${value}`
  expect((await document).stdout).toBe(`it's [${value}] "here"\n<${value}>`)
  // In a comment it is no script either, whatever line it ends.
  expect((await shell`echo kept # ${value}`).stdout).toBe("kept\n")
})

it("takes lists, numbers and secrets", async () => {
  expect(await shell`printf ${"%s|"} ${["a b", 2, secret("s")]} ${[]} ${true}`.text()).toBe("a b|2|s|true|")
})

it("does not export its variables, and leaves the positional ones to the script", async () => {
  expect(await shell`set -- ${"own"}; sh -c 'env' | grep -c sluice_ || echo "$#:$1"`.text()).toBe("0\n1:own")
  expect(await shell`f() { echo "$1 ${"x"}"; }; f inner; echo "$#"`.text()).toBe("inner x\n0")
})

it("has more than nine values, pipes and redirections", async () => {
  const values = Array.from({ length: 12 }, (_, index) => `v${index}`)
  expect(await shell`printf ${"%s\\n"} ${values} | sort -r | head -n 1 2>/dev/null`.text()).toBe("v9")
})

it("refuses a value in single quotes, where no variable is read", () => {
  expect(() => shell`echo '${"x"}'`).toThrow(TemplateError)
  expect(() => shell`echo '${"x"}'`).toThrow(/in single quotes: remove them/)
})

it("is a function and a tag with options", async () => {
  expect(await shell("echo a | tr a b").text()).toBe("b")
  expect(await shell("pwd", { cwd: "/" }).text()).toBe("/")
  expect(await shell({ cwd: "/", env: { A: "1" } })`echo "$PWD $A" ${"x"}`.text()).toBe("/ 1 x")
  expect(await shell`echo \${HOME:+home} \`echo b\``.text()).toBe("home b")
})

it("shows a script with its values in the command line", () => {
  expect(shell`grep ${"a b"} ${secret("hunter2")}`.command).toBe(`sh -c 'grep '\\''a b'\\'' <redacted>'`)
  expect($`echo ${"a b"}`.command).toBe("echo 'a b'")
  expect(run("a").command).toBe("a")
})
