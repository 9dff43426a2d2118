import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { ShellExec } from "@sluice/shell"
import { promise, whole, type WindowsPromise } from "./promise.ts"
import { bench, scriptPrefix } from "./programs.ts"

const program = scriptPrefix.map((word) => `'${word}'`).join(" ")

export const portable: ReadonlyArray<WindowsPromise> = [
  promise(
    "runs a script in the portable shell: variables, loops, pipes of programs, files",
    () =>
      Effect.gen(function* () {
        const { directory, path } = yield* bench
        const run = (script: string) =>
          whole(ShellExec.shell(script, { shell: "portable", cwd: directory, env: { WORD: "a  b" } }))
        const plain = yield* run(
          'for i in 1 2; do echo "<$i $WORD>"; done; x=$((2 * 21)); echo ${x} ${PATH:+path}; exit 3',
        )
        assert.deepEqual([plain.stdout, plain.exitCode], ["<1 a  b>\n<2 a  b>\n42 path\n", 3])
        const piped = yield* run(
          `${program} lines.cjs | ${program} stdin.cjs | { read -r first; echo "$first"; }; echo "\${#PIPESTATUS[@]}"`,
        )
        assert.deepEqual([piped.stdout, piped.exitCode], ["line 0\n3\n", 0])
        const slashed = directory.replaceAll("\\", "/")
        const mounted = `/${slashed[0]?.toLowerCase()}${slashed.slice(2)}`
        const files = yield* run(
          `echo one > made; ${program} stdin.cjs < made > '${slashed}/copy'; cat=$(<'${mounted}/copy'); echo "$cat" *.cmd; ` +
            `[ -f C:/nope ] || echo none; mkdir=1; cd '${slashed}'; ${program} argv.cjs "$PWD"; cmd.exe /c echo from cmd`,
        )
        const [first = "", ...others] = files.stdout.trim().split(/\r?\n/)
        assert.equal(first, "one args.cmd left.cmd tree.cmd")
        assert.deepEqual(others, ["none", `["${mounted}"]from cmd`])
        assert.equal(readFileSync(path("copy"), "utf8"), "one\n")
        const missing = yield* run("no-such-program; echo $?")
        assert.equal(missing.stdout, "127\n")
      }),
  ),
]
