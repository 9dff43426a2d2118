import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Sandbox } from "@sluice/shell/sandbox"
import { compare } from "./support.ts"

const lines = [
  ...['"version": "1.2.3",', "port = 80", "const total = 1", "const x = 2", "TODO(me) a", "TODO b"],
  ...["foo.bar(baz)", "x1y22", "aaa", "", "a[b]c"],
]
const write = `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")} > f`

compare("grep -P finds what PCRE finds", [
  [
    `${write}; grep -oP '"version":\\s*"\\K[^"]+' f`,
    "grep -oP '(?<=port = )\\d+' f",
    "grep -P '^(?!.*total).*\\bconst\\b' f",
    "grep -nP '\\bTODO\\b(?!\\()' f",
    "grep -obP 't.' f",
    "grep -cP '(a)\\1\\1' f",
    "grep -oP '\\w+?(?=\\()' f",
    "grep -ioP 'PORT' f",
    "grep -wP 'x' f",
    "grep -xP 'port.*' f",
    "grep -oP '[[:digit:]]+' f",
    "grep -oP '(?i)Const (?<n>\\w)' f",
    "grep -vP 'a' f",
    "grep --color=always -P 'o+' f",
    "grep -oP '\\h\\S' f",
    "grep -oP '(?x) p o rt' f",
    "grep -lP 'TODO' f",
    "grep -nP '^$' f",
    "grep -oP 'x*' f",
    "grep -oP 'a[[]b' f",
    "grep -zoP '(?s)port.*?x' f | tr '\\0' '\\n'",
    "grep -zoP '^x\\d' f | tr '\\0' '\\n'",
    "grep -P -f - f <<< 'x\\d'",
  ].join("\n"),
], { shell: true })

it.live("grep -P reads UTF-8, and refuses unknown syntax and patterns that take too long", () =>
  Effect.scoped(Effect.gen(function* () {
    const sandbox = yield* Sandbox.make({ files: { f: "na\u00efve caf\u00e9\n" }, env: { LC_ALL: "C.UTF-8" } })
    const run = (script: string) =>
      Effect.map(sandbox.run(script), ({ exitCode, stderr, stdout }) => ({ exitCode, said: stdout + stderr }))
    expect(yield* run("grep -oP 'caf.' f; grep -obP '.\u00e9' f; grep -oP '\\p{Ll}{2}\\b' f")).toEqual({
      exitCode: 0,
      said: "caf\u00e9\n9:f\u00e9\nna\nve\naf\n",
    })
    expect(yield* run("grep -P '(?R)' f")).toEqual({ exitCode: 2, said: "grep: undefined group option\n" })
    expect(yield* run("grep -P -e a -e b f")).toEqual({
      exitCode: 2,
      said: "grep: the -P option only supports a single pattern\n",
    })
    const { exitCode, said } = yield* run("printf 'a%.0s' {1..30} > g; grep -P '(?:(a+)+\\1)+$(?!a)b' g")
    expect([exitCode, said]).toEqual([2, "grep: exceeded PCRE's backtracking limit\n"])
  })))
