import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { display, reveal } from "../../src/command/Secret.ts"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { cmd, parseTemplate } from "../../src/command/template.ts"
import { TemplateError } from "../../src/command/TemplateError.ts"
import type { TemplateValue } from "../../src/command/parseTemplateWords.ts"
import { rawSpawn } from "../leaves/local/rawSpawn.ts"

const words = (exec: ShellExec): Array<string | undefined> => [exec.command, ...exec.arguments.map(reveal)]

/** A template whose text is not written in the source. */
const written = (text: string): ShellExec =>
  Result.getOrThrow(parseTemplate(Object.assign([text], { raw: [text] }), []))

it("splits the text at blanks, tabs and line breaks", () => {
  expect(words(cmd`git log -n 3`)).toEqual(["git", "log", "-n", "3"])
  expect(words(cmd`
    git	commit
      --amend
  `)).toEqual(["git", "commit", "--amend"])
  expect(words(cmd`git log \
    --oneline`)).toEqual(["git", "log", "--oneline"])
})

it("makes a command that never goes through a shell, with its own id", () => {
  const exec = cmd`ls -l`
  expect(exec).toBeInstanceOf(ShellExec)
  expect(exec.useShell).toBe(false)
  expect(exec.streamOutput).toBe(true)
  expect(exec.commandId).not.toBe(cmd`ls -l`.commandId)
})

it("reads quotes and backslashes as sh does, and the text as it is written", () => {
  expect(words(cmd`echo 'a  b' "c  d" e\ f`)).toEqual(["echo", "a  b", "c  d", "e f"])
  expect(words(cmd`echo '' ""`)).toEqual(["echo", "", ""])
  expect(words(cmd`echo a'b'"c"d`)).toEqual(["echo", "abcd"])
  expect(words(cmd`echo '$x | \ *' "a; (b)" \$x \| \*`)).toEqual(["echo", "$x | \\ *", "a; (b)", "$x", "|", "*"])
  expect(words(cmd`printf '%s\n' "a\nb" "\"" "\\"`)).toEqual(["printf", "%s\\n", "a\\nb", '"', "\\"])
  expect(words(cmd`echo \`tick\` \u{zz} \x`)).toEqual(["echo", "`tick`", "u{zz}", "x"])
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
    expect(words(cmd`tool ${first} middle ${last}`)).toEqual(["tool", first, "middle", last])
    expect(words(cmd`tool ${values}`)).toEqual(["tool", ...values])
    expect(words(cmd`tool --a=${first} "${last}" '${first}'${last}`)).toEqual([
      "tool",
      `--a=${first}`,
      last,
      first + last,
    ])
    expect(words(cmd`${[first, ...values]} ${last}`)).toEqual([first, ...values, last])
  },
)

it("passes syntax of a shell unchanged inside a value", () => {
  const values = ["; rm -rf /", "$(id)", "`id`", "a b", "*", "~", "#", "", "'", '"', "\\", "\n", "--", "A=b", "|"]
  expect(words(cmd`echo ${values}`)).toEqual(["echo", ...values])
  for (const value of values) {
    expect(words(cmd`echo ${value}`)).toEqual(["echo", value])
    expect(words(cmd`echo -n${value}x`)).toEqual(["echo", `-n${value}x`])
    expect(words(cmd`echo "${value}"`)).toEqual(["echo", value])
  }
})

it("turns numbers and booleans into text", () => {
  expect(words(cmd`git log -n ${3} --merges=${true} ${[1, "a", false]}`)).toEqual(
    ["git", "log", "-n", "3", "--merges=true", "1", "a", "false"],
  )
})

it("splices a list, and an empty one into nothing", () => {
  const none: ReadonlyArray<string> = []
  expect(words(cmd`ls ${none} -l ${["a b", ""]}`)).toEqual(["ls", "-l", "a b", ""])
  expect(words(cmd`${["git", "log"]} -3`)).toEqual(["git", "log", "-3"])
})

it("keeps secrets secret, and every word that one is part of", () => {
  const secret = Redacted.make("hunter2", { label: "token" })
  const exec = cmd`curl -H ${secret} --user=me:${secret} "x ${secret}" ${["a", secret]}`
  expect(exec.arguments.map(display)).toEqual(
    ["-H", "<redacted:token>", "<redacted>", "<redacted>", "a", "<redacted:token>"],
  )
  expect(words(exec)).toEqual(["curl", "-H", "hunter2", "--user=me:hunter2", "x hunter2", "a", "hunter2"])
  expect(exec.arguments[1]).toBe(secret)
  expect(JSON.stringify(Schema.encodeSync(ShellExec)(exec))).not.toContain("hunter2")
})

it("takes settings, and further ones on top", () => {
  const slow = cmd({ timeout: "5 seconds", cwd: "/tmp" })
  const exec = slow({ timeout: "6 seconds", streamOutput: false })`ls ${"x"}`
  expect(exec.timeout !== undefined && Duration.toMillis(exec.timeout)).toBe(6_000)
  expect(exec.workingDirectory).toBe("/tmp")
  expect(exec.streamOutput).toBe(false)
  expect(cmd`ls`.timeout).toBeUndefined()
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

it("throws for syntax that needs a shell, and names it and its place", () => {
  const table: ReadonlyArray<readonly [string, () => ShellExec]> = [
    ["|", () => cmd`a | b`],
    ["&", () => cmd`a &`],
    ["&", () => cmd`a && b`],
    [";", () => cmd`a; b`],
    ["<", () => cmd`a < b`],
    [">", () => cmd`a > b`],
    ["(", () => cmd`(a)`],
    [")", () => cmd`a )`],
    ["$H", () => cmd`echo $HOME`],
    ["$H", () => cmd`echo "$HOME"`],
    ["$(", () => cmd`echo $(id)`],
    ["Command substitution", () => written("echo `id`")],
    ["Command substitution", () => written('echo "`id`"')],
    ["*", () => cmd`ls *.ts`],
    ["?", () => cmd`ls a?`],
    ["[", () => cmd`ls [ab]`],
    ["Tilde", () => cmd`ls ~`],
    ["Tilde", () => cmd`ls ~/x`],
    ["comment", () => cmd`ls # all`],
    ["Brace", () => cmd`ls {a,b}`],
    ["assignment", () => cmd`A=b env`],
    ["assignment", () => cmd`A=${"b"} env`],
  ]
  for (const [what, run] of table) {
    const error = errorOf(run)
    expect(error._tag).toBe("TemplateError")
    expect(error.reason._tag).toBe("UnsupportedSyntax")
    expect(error.message).toContain(what)
    expect(error.message).toMatch(/in template part 0: (?:.*; )?in single quotes .*ShellExec\.shell$/)
  }
  expect(errorOf(() => cmd`a ${1} b ${2} | c`).message).toContain("template part 2")
  expect(errorOf(() => cmd`a ${1} b $USER/$HOME`).message).toContain("interpolate the value, ${process.env.USER};")
  expect(errorOf(() => cmd`ls -${["a"]}`).message).toMatch(/put blanks around it; each element is one argument$/)
})

it("throws for quotes that are not closed and a backslash at the end", () => {
  expect(errorOf(() => cmd`echo 'a`).reason._tag).toBe("UnterminatedQuote")
  expect(errorOf(() => cmd`echo "a ${1}`).reason._tag).toBe("UnterminatedQuote")
  expect(errorOf(() => written("echo \\")).reason._tag).toBe("InvalidEscape")
})

it("throws for a list that touches other text", () => {
  for (
    const run of [() => cmd`ls -${["a"]}`, () => cmd`ls ${["a"]}b`, () => cmd`ls "${["a"]}"`, () => cmd`${["a"]}${1}`]
  ) {
    expect(errorOf(run).reason._tag).toBe("UnsupportedSyntax")
  }
})

it("throws for invalid values, which the types exclude", () => {
  const lost = Redacted.make("gone")
  Redacted.wipeUnsafe(lost)
  const odd: ReadonlyArray<unknown> = [undefined, null, {}, [undefined], [["a"]], Symbol("s"), () => "a", 1n, lost]
  const untyped: (strings: TemplateStringsArray, ...values: ReadonlyArray<never>) => ShellExec = cmd
  for (const value of odd) {
    const strings = Object.assign(["echo ", ""], { raw: ["echo ", ""] })
    const error = errorOf(() => Reflect.apply(untyped, undefined, [strings, value]))
    expect(error.reason._tag).toBe("InvalidValue")
    expect(error.message).toContain("the value after template part 0")
  }
})

it("throws when there is no command, or when it is a secret", () => {
  const none: ReadonlyArray<TemplateValue> = []
  expect(errorOf(() => cmd``).reason._tag).toBe("Empty")
  expect(errorOf(() => cmd`   `).reason._tag).toBe("Empty")
  expect(Result.isFailure(parseTemplate(Object.assign([""], { raw: [""] }), none))).toBe(true)
  expect(errorOf(() => cmd`${Redacted.make("secret-tool")} x`).reason._tag).toBe("Empty")
  expect(errorOf(() => cmd`${Redacted.make("secret-tool")} x`).message).not.toContain("secret-tool")
})

it("returns the error as a value from parseTemplate", () => {
  const parse = (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>) =>
    parseTemplate(strings, values, { commandId: "mine" })
  const right = parse`echo ${"a"}`
  const wrong = parse`echo ${"secret"} | cat`
  expect(Result.isSuccess(right) && right.success.commandId).toBe("mine")
  expect(Result.isFailure(wrong) && wrong.failure).toBeInstanceOf(TemplateError)
  expect(Result.isFailure(wrong) && wrong.failure.message).not.toContain("secret")
})
