/**
 * Lists of arguments that go through a real batch file and its `%*`, and through the command line of a program, and come back
 * as they were. Hundreds share a process, with a mark between them, because a process takes Wine a tenth of a second; some
 * are alone, where the first and the last argument of a line matter (`SLUICE_ROUNDS=32`: 512 of them).
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { type Shell, ShellExec } from "@sluice/shell"
import { cmdCall, windowsCommandLine } from "../../../../src/host/windows/windowsCommandLine.ts"
import { random } from "../../../support/random.ts"
import { rounds } from "../../../support/rounds.ts"
import { nasty } from "../nasty.ts"
import { parseArgv } from "./parseArgv.ts"
import { faultOf, promise, script, whole, type WindowsPromise } from "./promise.ts"
import { type Bench, bench, scriptCommand } from "./programs.ts"

type List = ReadonlyArray<string>

/** What cmd.exe, batch files and the C runtime have a meaning for, and text of all lengths of UTF-16 and UTF-8. */
const alphabet = [
  ..."\"\\%^&|<>()!~*?@=,;:+-/.'`[]{}#$ \t\u0001\u000b\f\u007f\u00a0ab09é日😀",
  ...[
    '"',
    '\\"',
    '""',
    "\\\\",
    "%evil%",
    "%P%",
    "%1",
    "%*",
    "%%",
    "%~0",
    "%cd:~,%",
    "!evil!",
    "^%",
    "&&",
    "2>&1",
    "nul",
  ],
]

const makeLists = (count: number, seed: number): ReadonlyArray<List> => {
  const { int, pick } = random(seed)
  const word = (): string =>
    int(0, 3) === 0 ? pick(nasty) : Array.from({ length: int(0, 10) }, () => pick(alphabet)).join("")
  return Array.from({ length: count }, () => Array.from({ length: int(1, 7) }, word))
}

const mark = "--next--"

/** Joins lists to as few as fit into a line each. */
const pack = (lists: ReadonlyArray<List>, fits: (words: List) => boolean): ReadonlyArray<ReadonlyArray<List>> => {
  const packs: Array<Array<List>> = [[]]
  for (const list of lists) {
    const last = packs.at(-1) ?? []
    if (fits([...last, list].flatMap((each) => [mark, ...each]))) last.push(list)
    else packs.push([list])
  }
  return packs
}

/** Variables that do harm where they are expanded. */
const environment = ({ path }: Bench): Readonly<Record<string, string>> => ({
  evil: `x" & echo owned > "${path("owned.txt")}" & "`,
  P: "expanded",
})

/** Gives each pack to a command, which prints its arguments as JSON. */
const giveBack = (
  files: Bench,
  packs: ReadonlyArray<ReadonlyArray<List>>,
  make: (args: List) => ShellExec,
): Effect.Effect<void, unknown, Shell> =>
  Effect.forEach(packs, (lists, at) =>
    Effect.gen(function* () {
      const words = lists.length === 1 ? lists[0] ?? [] : lists.flatMap((each) => [mark, ...each])
      const { drain, exitCode, stderr, stdout } = yield* whole(make(words))
      assert.deepEqual([exitCode, drain], [0, "eof"], stderr)
      assert.deepEqual([at, JSON.parse(stdout)], [at, words])
      assert.equal(existsSync(files.path("owned.txt")), false)
    }), { concurrency: 4, discard: true })

const throughBatch = (files: Bench) => {
  const file = files.path("args.cmd")
  const line = (args: List) => Result.isSuccess(cmdCall("cmd.exe", file, args))
  return { make: (args: List) => ShellExec.make(file, args, { env: environment(files) }), fits: line }
}

const throughProgram = (files: Bench) => {
  const fits = (args: List) => Result.isSuccess(windowsCommandLine("x".repeat(2_000), args))
  return { make: (args: List) => script(files.path("argv.cjs"), args, { env: environment(files) }), fits }
}

const ways = [
  ["a batch file", throughBatch],
  ["the command line of a program", throughProgram],
] as const

/** Names of folders and files that cmd.exe would take for syntax, if they were not in quotes. */
const names = ["a & echo owned ^(1)^ %P% !P!", "100% %evil% a,b;c=d it's @~` é日😀"]

export const quoting: ReadonlyArray<WindowsPromise> = [
  ...ways.flatMap(([through, way], seed) => [
    promise(`carries 500 nasty lists of arguments through ${through}`, () =>
      Effect.gen(function* () {
        const files = yield* bench
        const { fits, make } = way(files)
        yield* giveBack(files, pack([nasty, ...makeLists(500, seed)], fits), make)
      })),

    promise(
      `carries nasty lists of arguments through ${through}, each in a process of its own`,
      () =>
        Effect.gen(function* () {
          const files = yield* bench
          yield* giveBack(files, makeLists(rounds(16), 10 + seed).map((list) => [list]), way(files).make)
        }),
    ),
  ]),

  promise(
    "runs a batch file whose folder and name are full of syntax, and nothing else",
    () =>
      Effect.gen(function* () {
        const files = yield* bench
        const list = ['"&calc.exe', "%evil%", "a b"]
        yield* Effect.forEach(names, (name) =>
          Effect.gen(function* () {
            const folder = files.path(name)
            mkdirSync(folder)
            const file = files.write(`${name}\\${name}.bat`, `@${scriptCommand} "${files.path("argv.cjs")}" %*`)
            const env = environment(files)
            const found = { ...env, PATH: `C:\\none;"${folder}"` }
            const direct = ShellExec.make(file, list, { cwd: folder, env, mergeStreams: true })
            for (const exec of [direct, ShellExec.make(name, list, { env: found })]) {
              const { executable, stdout } = yield* whole(exec)
              assert.deepEqual([name, JSON.parse(stdout)], [name, list])
              assert.equal(executable, file)
            }
            assert.deepEqual(readdirSync(folder), [`${name}.bat`])
          }), { concurrency: 4, discard: true })
        assert.equal(existsSync(files.path("owned.txt")), false)
      }),
  ),

  promise("refuses arguments that cannot be passed, names them and starts nothing", () =>
    Effect.gen(function* () {
      const files = yield* bench
      const refused: ReadonlyArray<readonly [file: string, list: List, what: RegExp, code: "EINVAL" | "E2BIG"]> = [
        ["args.cmd", ["one", "two\r\nthree"], /line break or a NUL to cmd\.exe \(argument 2\)/, "EINVAL"],
        ["args.cmd", ["\n"], /argument 1/, "EINVAL"],
        ["args.cmd", ["a", "b", "c\rd"], /argument 3/, "EINVAL"],
        ["args.cmd", ["a\0b"], /NUL/, "EINVAL"],
        ["args.cmd", ["x".repeat(8_200)], /8191/, "E2BIG"],
        // Each needs nine characters.
        ["args.cmd", ["%".repeat(1_100)], /8191/, "E2BIG"],
        ["argv.cjs", ["a\0b"], /NUL/, "EINVAL"],
        ["argv.cjs", ['"'.repeat(20_000)], /32766/, "E2BIG"],
      ]
      for (const [file, list, what, code] of refused) {
        const path = files.path(file)
        const fault = yield* faultOf(file.endsWith(".cjs") ? script(path, list) : ShellExec.make(path, list))
        assert.deepEqual(fault.reason, { _tag: "InvalidRequest", field: "arguments", code })
        assert.match(fault.message, what)
      }
    })),

  ...(parseArgv === undefined ? [] : [
    promise("writes command lines that CommandLineToArgvW of this system reads back", () =>
      Effect.sync(() => {
        const program = "C:\\my programs\\x.exe"
        for (const list of [nasty, ...makeLists(500, 20)]) {
          const line = Result.getOrThrow(windowsCommandLine(program, list))
          assert.deepEqual(parseArgv?.(line), [program, ...list])
        }
      })),
  ]),
]
