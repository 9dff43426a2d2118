import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { display, reveal } from "../../src/command/Secret.ts"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { sh, template, TemplateError, type TemplateValue } from "../../src/command/template.ts"
import { rawSpawn } from "../leaves/local/rawSpawn.ts"

const words = (exec: ShellExec): Array<string | undefined> => [exec.command, ...exec.arguments.map(reveal)]

/** A template whose text is not written in the source. */
const written = (text: string): ShellExec => Result.getOrThrow(template(Object.assign([text], { raw: [text] }), []))

it("splits the text at blanks, tabs and line breaks", () => {
  expect(words(sh`git log -n 3`)).toEqual(["git", "log", "-n", "3"])
  expect(words(sh`
    git	commit
      --amend
  `)).toEqual(["git", "commit", "--amend"])
  expect(words(sh`git log \
    --oneline`)).toEqual(["git", "log", "--oneline"])
})

it("makes a command that no shell will see, with an id of its own", () => {
  const exec = sh`ls -l`
  expect(exec).toBeInstanceOf(ShellExec)
  expect(exec.useShell).toBe(false)
  expect(exec.streamOutput).toBe(true)
  expect(exec.commandId).not.toBe(sh`ls -l`.commandId)
})

it("takes quotes and backslashes as sh does, and the text as it is written", () => {
  expect(words(sh`echo 'a  b' "c  d" e\ f`)).toEqual(["echo", "a  b", "c  d", "e f"])
  expect(words(sh`echo '' ""`)).toEqual(["echo", "", ""])
  expect(words(sh`echo a'b'"c"d`)).toEqual(["echo", "abcd"])
  expect(words(sh`echo '$x | \ *' "a; (b)" \$x \| \*`)).toEqual(["echo", "$x | \\ *", "a; (b)", "$x", "|", "*"])
  expect(words(sh`printf '%s\n' "a\nb" "\"" "\\"`)).toEqual(["printf", "%s\\n", "a\\nb", '"', "\\"])
  expect(words(sh`echo \`tick\` \u{zz} \x`)).toEqual(["echo", "`tick`", "u{zz}", "x"])
})

it.skipIf(process.platform === "win32")("agrees with sh itself on what it takes", async () => {
  const texts = [
    String.raw`a 'b c' "d e" f\ g`,
    String.raw`'a\b' "a\b" a\b "\\" '\\' \\`,
    String.raw`"it's" 'say "hi"' it\'s`,
    String.raw`a"b"'c'd '' "" e=f --g=h`,
    String.raw`x# a~ {a} {} a{ } $ a$ "$" "a\$b" %1 ! ^ @ + , : = a=b]`,
    "a\\\n b \\\n  'c\n d'",
  ]
  for (const text of texts) {
    const command = String.raw`printf '%s\0' ${text}`
    const { output } = await rawSpawn("/bin/sh", ["-c", command])
    expect(words(written(command)).slice(2)).toEqual(output.split("\0").slice(0, -1))
  }
})

it.prop(
  "makes of any value exactly one argument",
  { values: Schema.Array(Schema.String), first: Schema.String, last: Schema.String },
  ({ first, last, values }) => {
    expect(words(sh`tool ${first} middle ${last}`)).toEqual(["tool", first, "middle", last])
    expect(words(sh`tool ${values}`)).toEqual(["tool", ...values])
    expect(words(sh`tool --a=${first} "${last}" '${first}'${last}`)).toEqual([
      "tool",
      `--a=${first}`,
      last,
      first + last,
    ])
    expect(words(sh`${[first, ...values]} ${last}`)).toEqual([first, ...values, last])
  },
)

it("passes on what a shell would act on, when it comes as a value", () => {
  const values = ["; rm -rf /", "$(id)", "`id`", "a b", "*", "~", "#", "", "'", '"', "\\", "\n", "--", "A=b", "|"]
  expect(words(sh`echo ${values}`)).toEqual(["echo", ...values])
  for (const value of values) {
    expect(words(sh`echo ${value}`)).toEqual(["echo", value])
    expect(words(sh`echo -n${value}x`)).toEqual(["echo", `-n${value}x`])
    expect(words(sh`echo "${value}"`)).toEqual(["echo", value])
  }
})

it("turns numbers and booleans into text", () => {
  expect(words(sh`git log -n ${3} --merges=${true} ${[1, "a", false]}`)).toEqual(
    ["git", "log", "-n", "3", "--merges=true", "1", "a", "false"],
  )
})

it("splices a list, and an empty one into nothing", () => {
  const none: ReadonlyArray<string> = []
  expect(words(sh`ls ${none} -l ${["a b", ""]}`)).toEqual(["ls", "-l", "a b", ""])
  expect(words(sh`${["git", "log"]} -3`)).toEqual(["git", "log", "-3"])
})

it("keeps secrets secret, and every word that one is part of", () => {
  const secret = Redacted.make("hunter2", { label: "token" })
  const exec = sh`curl -H ${secret} --user=me:${secret} "x ${secret}" ${["a", secret]}`
  expect(exec.arguments.map(display)).toEqual(
    ["-H", "<redacted:token>", "<redacted>", "<redacted>", "a", "<redacted:token>"],
  )
  expect(words(exec)).toEqual(["curl", "-H", "hunter2", "--user=me:hunter2", "x hunter2", "a", "hunter2"])
  expect(exec.arguments[1]).toBe(secret)
  expect(JSON.stringify(Schema.encodeSync(ShellExec)(exec))).not.toContain("hunter2")
})

it("takes settings, and further ones on top", () => {
  const slow = sh({ timeout: "5 seconds", cwd: "/tmp" })
  const exec = slow({ timeout: "6 seconds", streamOutput: false })`ls ${"x"}`
  expect(exec.timeout !== undefined && Duration.toMillis(exec.timeout)).toBe(6_000)
  expect(exec.workingDirectory).toBe("/tmp")
  expect(exec.streamOutput).toBe(false)
  expect(sh`ls`.timeout).toBeUndefined()
})

const errorOf = (run: () => unknown): TemplateError => {
  try {
    run()
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error("it made a command")
}

it("throws for what only a shell can do, and says what and where", () => {
  const table: ReadonlyArray<readonly [string, () => ShellExec]> = [
    ["|", () => sh`a | b`],
    ["&", () => sh`a &`],
    ["&", () => sh`a && b`],
    [";", () => sh`a; b`],
    ["<", () => sh`a < b`],
    [">", () => sh`a > b`],
    ["(", () => sh`(a)`],
    [")", () => sh`a )`],
    ["$H", () => sh`echo $HOME`],
    ["$H", () => sh`echo "$HOME"`],
    ["$(", () => sh`echo $(id)`],
    ["Command substitution", () => written("echo `id`")],
    ["Command substitution", () => written('echo "`id`"')],
    ["*", () => sh`ls *.ts`],
    ["?", () => sh`ls a?`],
    ["[", () => sh`ls [ab]`],
    ["Tilde", () => sh`ls ~`],
    ["Tilde", () => sh`ls ~/x`],
    ["comment", () => sh`ls # all`],
    ["Brace", () => sh`ls {a,b}`],
    ["assignment", () => sh`A=b env`],
    ["assignment", () => sh`A=${"b"} env`],
  ]
  for (const [what, run] of table) {
    const error = errorOf(run)
    expect(error._tag).toBe("TemplateError")
    expect(error.reason).toBe("UnsupportedSyntax")
    expect(error.message).toContain(what)
    expect(error.message).toMatch(/in template part 0: quote it .*ShellExec\.shell/)
  }
  expect(errorOf(() => sh`a ${1} b ${2} | c`).message).toContain("template part 2")
})

it("throws for quotes that are not closed and a backslash at the end", () => {
  expect(errorOf(() => sh`echo 'a`).reason).toBe("UnterminatedQuote")
  expect(errorOf(() => sh`echo "a ${1}`).reason).toBe("UnterminatedQuote")
  expect(errorOf(() => written("echo \\")).reason).toBe("InvalidEscape")
})

it("throws for a list that touches other text", () => {
  for (const run of [() => sh`ls -${["a"]}`, () => sh`ls ${["a"]}b`, () => sh`ls "${["a"]}"`, () => sh`${["a"]}${1}`]) {
    expect(errorOf(run).reason).toBe("UnsupportedSyntax")
  }
})

it("throws for values that are none, which types would have caught", () => {
  const lost = Redacted.make("gone")
  Redacted.wipeUnsafe(lost)
  const odd: ReadonlyArray<unknown> = [undefined, null, {}, [undefined], [["a"]], Symbol("s"), () => "a", 1n, lost]
  const untyped: (strings: TemplateStringsArray, ...values: ReadonlyArray<never>) => ShellExec = sh
  for (const value of odd) {
    const strings = Object.assign(["echo ", ""], { raw: ["echo ", ""] })
    const error = errorOf(() => Reflect.apply(untyped, undefined, [strings, value]))
    expect(error.reason).toBe("InvalidValue")
    expect(error.message).toContain("The value after template part 0")
  }
})

it("throws when there is no command, or nobody may know it", () => {
  const none: ReadonlyArray<TemplateValue> = []
  expect(errorOf(() => sh``).reason).toBe("Empty")
  expect(errorOf(() => sh`   `).reason).toBe("Empty")
  expect(Result.isFailure(template(Object.assign([""], { raw: [""] }), none))).toBe(true)
  expect(errorOf(() => sh`${Redacted.make("secret-tool")} x`).reason).toBe("Empty")
  expect(errorOf(() => sh`${Redacted.make("secret-tool")} x`).message).not.toContain("secret-tool")
})

it("gives the error as a value to whoever wants that", () => {
  const parse = (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>) =>
    template(strings, values, { commandId: "mine" })
  const right = parse`echo ${"a"}`
  const wrong = parse`echo ${"secret"} | cat`
  expect(Result.isSuccess(right) && right.success.commandId).toBe("mine")
  expect(Result.isFailure(wrong) && wrong.failure).toBeInstanceOf(TemplateError)
  expect(Result.isFailure(wrong) && wrong.failure.message).not.toContain("secret")
})
