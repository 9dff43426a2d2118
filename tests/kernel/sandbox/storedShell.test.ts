import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Sandbox } from "@sluice/shell/sandbox"
import { concatBytes } from "../../../src/base/bytes.ts"
import { archiveEnd, archiveHeader, memberHeader } from "../../../src/kernel/fs/tarWriter.ts"
import { readTar } from "../../../src/kernel/fs/tarReader.ts"
import { encode, failureOf, stdoutOf, withSandbox } from "./support.ts"

/** The files of a snapshot with another state of the shell, or none. */
const withShell = (archive: Uint8Array, shell?: string): Uint8Array => {
  const size = Number.parseInt(new TextDecoder().decode(archive.subarray(124, 135)), 8)
  const records = [
    ["SLUICE.snapshot", "1"] as const,
    ...(shell === undefined ? [] : [["SLUICE.shell", shell] as const]),
  ]
  return concatBytes([...archiveHeader(records), archive.subarray(512 + Math.ceil(size / 512) * 512)])
}

const setUp = `
x=5; export Y="six seven"; declare -r fixed=1; declare -i number=3; declare -u upper=abc; declare -n ref=x
list=(a "b c" [7]=far); declare -A table=([k]="v w" ["a b"]=c); declare -a none; declare -A empty
weird=$'a\\nb\\x01\\xff'; unset RANDOM
greet() { echo "hi $1"; local z=$2; }
doc() { cat <<END; echo after; }
line of $1
END
shopt -s expand_aliases extglob
alias say='echo said'
useAlias() { say "$1"; }
pattern() { [[ $1 == @(a|b) ]] && echo yes; }
sub() ( exit 3 )
set -u -o pipefail; trap 'echo bye' EXIT; trap '' USR1
mkdir -p /tmp/in; cd /tmp/in; umask 027; set -- one "two three"; pushd / >/dev/null; popd > /dev/null; (exit 4)`

const show = `
echo "status $?"; declare -p x Y fixed number upper ref list table none empty weird | cat -v; declare -f
echo "$- $PWD $# $2 \${RANDOM-unset} $(umask)"; shopt extglob expand_aliases; set -o | grep pipefail; trap -p; alias
greet you 1; doc me; useAlias text; pattern b; sub || echo "sub $?"; number=4+4; echo $number; ref=7; echo $x; dirs; (fixed=2) 2>&1; touch f; stat -c %a f; rm f; set +u`

it.live("a snapshot holds the state of the shell, for another sandbox as well", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run(setUp)
      const archive = yield* sandbox.snapshot
      const expected = yield* stdoutOf(sandbox, show)
      expect(expected).toContain("line of me\nafter\n")
      expect(expected).toContain("hi you\n")
      expect(expected).toContain("said text\nyes\nsub 3\n8\n7\n")
      const restored = yield* withSandbox((other) =>
        Effect.gen(function* () {
          yield* other.run("x=other; leftover=1; f() { :; }; cd /")
          yield* other.restore(archive)
          expect(yield* other.cwd).toBe("/tmp/in")
          expect((yield* other.env)["Y"]).toBe("six seven")
          expect(yield* stdoutOf(other, "(exit 4); echo ${leftover-none}")).toBe("none\n")
          yield* other.restore(archive)
          return yield* stdoutOf(other, show)
        })
      )
      expect(restored).toBe(expected)
      // The first sandbox goes back as well, and a second snapshot is the same.
      yield* sandbox.run("x=9; unset -f greet; trap - EXIT")
      yield* sandbox.restore(archive)
      expect(yield* stdoutOf(sandbox, show)).toBe(expected)
    })
  ))

it.live("goes back to before the first run, and keeps the shell where a snapshot has none", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const first = yield* sandbox.snapshot
      yield* sandbox.run("x=1; cd /tmp")
      yield* sandbox.restore(first)
      expect(yield* stdoutOf(sandbox, 'echo "${x-none} $PWD"')).toBe("none /home/user\n")
      yield* sandbox.run("x=2; cd /tmp")
      yield* sandbox.restore(withShell(yield* sandbox.snapshot))
      expect(yield* stdoutOf(sandbox, "echo $x")).toBe("2\n")
    })
  ))

it.live("keeps no jobs", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run("sleep 60 & x=1")
      yield* sandbox.restore(yield* sandbox.snapshot)
      expect(yield* stdoutOf(sandbox, 'echo "$x ${!:-none}"; jobs; wait; echo over')).toBe("1 none\nover\n")
    })
  ))

it.live("refuses an invalid state, and changes nothing then", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run("x=1; f() { echo f; }; echo kept > file")
      const archive = yield* sandbox.snapshot
      const text = readTar(archive).records.get("SLUICE.shell") ?? ""
      const state: Record<string, unknown> = JSON.parse(text)
      const functions = [{ name: "f", text: "{ echo f; }", source: "main", expandsAliases: false, extglob: false }]
      // Other files than those of the snapshot: none of them may come back.
      yield* sandbox.run("echo changed > file")
      const bad = [
        "{",
        "[]",
        JSON.stringify({ ...state, umask: 4096 }),
        JSON.stringify({ ...state, cwd: "relative" }),
        JSON.stringify({ ...state, options: ["toString"] }),
        JSON.stringify({ ...state, traps: [["SIGNONE", "echo"]] }),
        JSON.stringify({ ...state, variables: [{ name: "a b", letters: "" }] }),
        JSON.stringify({ ...state, variables: [{ name: "a", letters: "", array: [[-1, "x"]] }] }),
        JSON.stringify({ ...state, functions: functions.map((found) => ({ ...found, text: "{ echo f" })) }),
        JSON.stringify({ ...state, functions: functions.map((found) => ({ ...found, name: "f; rm -rf x; g" })) }),
        JSON.stringify({ ...state, functions: functions.map((found) => ({ ...found, text: "f" })) }),
      ]
      for (const shell of bad) {
        const error = yield* failureOf(sandbox.restore(withShell(archive, shell)))
        expect([shell, error.reason._tag]).toEqual([shell, "SnapshotFailed"])
      }
      expect(yield* stdoutOf(sandbox, "cat file; f; echo $x")).toBe("changed\nf\n1\n")
      const good = JSON.stringify({ ...state, functions })
      yield* sandbox.restore(withShell(archive, good))
      expect(yield* stdoutOf(sandbox, "f; ls file 2>&1 | wc -l")).toBe("f\n1\n")
      expect((yield* failureOf(sandbox.restore(encode("no tar")))).reason._tag).toBe("SnapshotFailed")
    })
  ))

it("keeps the files where the members of a snapshot lead outside, or do not fit", async () => {
  await using large = await Sandbox.open()
  await large.run("head -c 2000000 /dev/zero > big")
  const tooLarge = await large.snapshot()
  const entry = {
    path: "../x",
    type: "folder",
    mode: 0o755,
    modified: 0n,
    target: "",
    size: 0,
    records: new Map(),
  } as const
  const outside = concatBytes([...archiveHeader([["SLUICE.snapshot", "1"]]), ...memberHeader(entry), archiveEnd()])
  await using sandbox = await Sandbox.open({ files: { keep: "kept\n" }, limits: { maxTotalFileBytes: 1_000_000 } })
  for (const [archive, message] of [[tooLarge, /ENOSPC|EFBIG/], [outside, /ENOTCAPABLE/]] as const) {
    await expect(sandbox.restore(archive)).rejects.toThrow(message)
    expect((await sandbox.run("cat keep")).stdout).toBe("kept\n")
  }
})
