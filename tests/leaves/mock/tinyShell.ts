/**
 * The few words of sh that the contract suite is written in, as steps of a mock: `echo a; sleep 1; exit 3` and the like.
 * What it does not know is not scripted, so that a new promise of the suite says what is missing here.
 */
import * as Effect from "effect/Effect"
import type { ShellExec } from "@sluice/shell"
import { MockRun } from "@sluice/shell/testing"

const encoder = new TextEncoder()

/** What `printf` makes of its format, as bytes: octal escapes are bytes, the rest is UTF-8. */
const printed = (format: string): Uint8Array => {
  const parts = format.split(/(\\[0-7]{1,3}|\\[nrt\\])/)
  const named: Readonly<Record<string, string>> = { "\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\" }
  return Uint8Array.from(
    parts.flatMap((part) =>
      /^\\[0-7]/.test(part) ? [Number.parseInt(part.slice(1), 8)] : [...encoder.encode(named[part] ?? part)]
    ),
  )
}

const unquoted = (word: string): string => /^(['"]).*\1$/s.test(word) ? word.slice(1, -1) : word

const sequence = (prefix: string, from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, n) => `${prefix}${from + n}\n`).join("")

/** Reads stdin until it has what `head` wants, writes that and reads no more. */
const head = (wanted: (text: string) => number | undefined): MockRun.MockStep =>
  MockRun.effect((process) => {
    const read = (before: string): Effect.Effect<void> =>
      Effect.flatMap(process.read, (bytes) => {
        const text = before + new TextDecoder().decode(bytes)
        const end = bytes === undefined ? text.length : wanted(text)
        return end === undefined ? read(text) : process.write("stdout", text.slice(0, end))
      })
    return read("")
  })

const hexOf = (text: string): string =>
  [...encoder.encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")

type Make = (groups: ReadonlyArray<string>, to: typeof MockRun.stdout) => ReadonlyArray<MockRun.MockStep> | undefined

const one = (step: MockRun.MockStep): ReadonlyArray<MockRun.MockStep> => [step]

/** Each word with what it does; the first that fits counts. */
const words: ReadonlyArray<readonly [RegExp, Make]> = [
  [/^for i in (.+?); do (.+); done$/s, ([items = "", body = ""]) => {
    const rounds = items.split(" ").map((item) => steps(body.replaceAll("$i", item)))
    return rounds.some((round) => round === undefined) ? undefined : rounds.flatMap((round) => round ?? [])
  }],
  [/^while :; do (.+); done$/s, ([body = ""]) => {
    const round = steps(body)
    return round && one(MockRun.forever(...round))
  }],
  [/^trap '' TERM$/, () => one(MockRun.ignoreTerminate)],
  [/^trap '(.+)' TERM$/s, ([body = ""]) => {
    const then = steps(body)
    return then && one(MockRun.onTerminate(...then))
  }],
  [/^\((.+)\) &$/s, ([body = ""]) => {
    const beside = steps(body)
    return beside && one(MockRun.background(...beside))
  }],
  [/^(.+) &$/s, ([body = ""]) => {
    const beside = steps(body)
    return beside && one(MockRun.background(...beside))
  }],
  [/^true$/, () => []],
  [/^echo(?: (.*))?$/s, ([text = ""], to) => one(to(`${unquoted(text)}\n`))],
  [/^printf "\[%s\]" "\$@"$/, () => undefined],
  [/^printf (.+)$/s, ([format = ""], to) => one(to(printed(unquoted(format))))],
  [/^sleep ([\d.]+)$/, ([seconds]) => one(MockRun.wait(Number(seconds) * 1_000))],
  [/^exit (\d+)$/, ([code]) => one(MockRun.exit(Number(code)))],
  [/^kill -(?:s )?([A-Z0-9]+) \$\$$/, ([name = ""]) => one(MockRun.exitBy(`SIG${name}`))],
  [/^exec >&- 2>&-$/, () => [MockRun.close("stdout"), MockRun.close("stderr")]],
  [/^cat$/, () => one(MockRun.copyInput)],
  [/^head -n 1$/, () => one(head((text) => text.includes("\n") ? text.indexOf("\n") + 1 : undefined))],
  [/^head -c (\d+)$/, ([count]) => one(head((text) => text.length >= Number(count) ? Number(count) : undefined))],
  [/^head -c (\d+) \/dev\/zero \| tr ['"]\\0['"] x$/, ([count]) => one(MockRun.stdout("x".repeat(Number(count))))],
  [
    /^seq (\d+) (\d+)(?: \| sed 's\/\^\/(.+)\/')?$/,
    ([from, to, prefix], out) => one(out(sequence(prefix ?? "", Number(from), Number(to)))),
  ],
  [
    /^od -An -tx1 \| tr -d ' \\n' \| cut -c1-8$/,
    () => one(MockRun.input((text) => MockRun.stdout(`${hexOf(text).slice(0, 8)}\n`))),
  ],
]

const statement = (text: string): ReadonlyArray<MockRun.MockStep> | undefined => {
  const [, command = "", redirect] = /^(.*?)( >&2)?$/s.exec(text) ?? []
  for (const [pattern, make] of words) {
    const found = pattern.exec(command)
    if (found !== null) return make(found.slice(1), redirect === undefined ? MockRun.stdout : MockRun.stderr)
  }
  return undefined
}

/** Cuts a script where a statement ends: not within quotes, parentheses or a loop. */
const statements = (script: string): ReadonlyArray<string> =>
  (script.match(/(?:'[^']*'|"[^"]*"|\([^)]*\)|\b(?:for|while)\b.*?; done|>&-?|2>&-|[^;&'"(])+(?:&|;|$)/gs) ?? [])
    .map((each) => each.replace(/;$/, "").trim())
    .filter((each) => each !== "")

/** The steps of a script; `undefined` when there is a word in it that is not known here. */
export const steps = (script: string): ReadonlyArray<MockRun.MockStep> | undefined => {
  const all = statements(script).map(statement)
  return all.some((each) => each === undefined) ? undefined : all.flatMap((each) => each ?? [])
}

const text = (exec: ShellExec): ReadonlyArray<string> => exec.arguments.map(String)

/** What the programs of the contract suite do. */
export const tinyShell = (exec: ShellExec): MockRun.MockRun | undefined => {
  if (exec.workingDirectory === "/no/such/directory") {
    return MockRun.fail({ _tag: "NotFound", what: "workingDirectory", path: exec.workingDirectory, code: "ENOENT" })
  }
  if (exec.useShell) return steps(exec.command)
  switch (exec.command) {
    case "echo":
      return MockRun.stdout(`${text(exec).join(" ")}\n`)
    case "printf":
      return MockRun.stdout(text(exec).slice(1).map((word) => `[${word}]`).join(""))
    case "cat":
      return MockRun.copyInput
    case "sh": {
      const [, script = "", , ...args] = text(exec)
      const [first, ...rest] = script.split("; ")
      return first === 'printf "[%s]" "$@"'
        ? [MockRun.stdout(args.map((word) => `[${word}]`).join("")), ...steps(rest.join("; ")) ?? []]
        : steps(script)
    }
    case "no-such-program":
      return MockRun.fail({ _tag: "NotFound", what: "command", path: exec.command, code: "ENOENT" })
    default:
      return undefined
  }
}
