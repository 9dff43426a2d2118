/** Files of programs of the machine in place of process substitutions. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { nodeBuiltins } from "../../src/base/nodeBuiltins.ts"
import { passFile } from "../../src/script/passFile.ts"
import { eventually } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { said, type Settings } from "../policy/support.ts"

const listed = "awk cat comm cut diff echo head paste printf python3 seq sh sleep sort tee wc yes".split(" ")

const settings: Settings = { allowedCommands: listed, searchPath: "/usr/bin:/bin", redirects: "all" }

/** A folder of the test's own for the files of substitutions. */
const places = Effect.gen(function* () {
  const shop = yield* workshop
  shop.write("a", "2\n1\n")
  shop.write("b", "3\n2\n")
  const before = process.env["TMPDIR"]
  yield* Effect.acquireRelease(
    Effect.sync(() => process.env["TMPDIR"] = shop.makeDirectory("tmp")),
    () =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["TMPDIR"]
        else process.env["TMPDIR"] = before
      }),
  )
  return {
    shop,
    run: (script: string, more: Partial<Settings> = {}, timeout = 20_000) =>
      said({ ...settings, ...more }, script, { cwd: shop.directory, timeout }),
    left: (): ReadonlyArray<string> => [...readdirSync(shop.path("tmp")), ...openFiles(shop.path("tmp"))],
  }
})

/** The open files of this process that had their name in a folder. */
const openFiles = (folder: string): ReadonlyArray<string> => {
  if (process.platform !== "linux") return []
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(folder) ? [target] : []
    } catch {
      // The descriptor of the listing itself.
      return []
    }
  })
}

it.live("gives real programs the output of substitutions, and substitutions the output of programs", () =>
  Effect.gen(function* () {
    const { left, run } = yield* places
    const answers: ReadonlyArray<readonly [script: string, answer: string]> = [
      ["diff <(sort a) <(sort b)", "1d0\n< 1\n2a2\n> 3\n"],
      ["comm -12 <(sort a) <(sort b)", "2\n"],
      ["paste -d, <(sort a) <(sort b)", "1,2\n2,3\n"],
      ["cat <(echo a) <(echo b)", "a\nb\n"],
      ["cat < <(cat a)", "2\n1\n"],
      ["tee >(wc -c) < a > /dev/null; sleep 0.2", "4\n"],
      ["tee >(sort) >(sort -r | tr 1 x) < a > /dev/null; sleep 0.2", "1\n2\n2\nx\n"],
      ["seq 100000 | tee >(wc -c) > /dev/null; sleep 0.3", "588895\n"],
      ["seq 100000 | tee >(tail -n 1) | wc -l; sleep 0.3", "100001\n"],
      ["cat <(seq 100000) | wc -c", "588895\n"],
      ["exec 3< <(echo in); cat /dev/fd/3 /dev/fd/3", "in\nin\n"],
      ["sort --output=>(cat) a; sleep 0.2", "1\n2\n"],
      ["python3 -c 'import sys; print(open(sys.argv[1]).read(), end=\"\")' <(echo read)", "read\n"],
      ['python3 -c \'import sys; open(sys.argv[1], "w").write("written\\n")\' >(cat); sleep 0.2', "written\n"],
      ["awk '{ print FNR, $0 }' <(sort a) <(sort b)", "1 1\n2 2\n1 2\n2 3\n"],
    ]
    const listing = { allowedCommands: [...listed, "tail", "tr"] }
    for (const [script, answer] of answers) {
      const text = yield* run(script, listing)
      // Two substitutions that read at once may end in either order.
      const sorted = (lines: string): string => script.includes("sort -r") ? lines.split("\n").sort().join("\n") : lines
      expect([script, sorted(text)]).toEqual([script, sorted(answer)])
    }
    expect(left()).toEqual([])
  }))

it.live("leaves neither files nor descriptors: after commands that end, that are missing, that are killed and cancelled", () =>
  Effect.gen(function* () {
    const { left, run, shop } = yield* places
    for (let round = 0; round < 10; round++) {
      expect(yield* run("comm -12 <(sort a) <(sort b); echo x | tee >(cat > /dev/null)")).toBe("2\nx\n")
    }
    expect(left()).toEqual([])
    for (
      const script of [
        "sh -c 'sleep 20' sh <(echo a) >(cat)",
        "cat <(echo a; sleep 20)",
        "cat <(while :; do echo y; sleep 0.01; done)",
        "yes | tee >(sleep 20)",
      ]
    ) {
      expect(yield* run(`${script} > /dev/null`, {}, 200)).toContain("TIMEOUT")
    }
    expect(
      yield* run("sh -c 'sleep 20' sh <(echo a) >(cat) & sleep 0.1; kill $!; wait $!; echo $?", {
        allowedCommands: [...listed, "kill"],
      }),
    ).toBe("143\n")
    shop.write("bad", "#!/no/such/program\n", 0o755)
    expect(yield* run("./bad <(echo a) >(cat); echo $?", { allowedCommands: ["*"], code: "refuse" })).toMatch(
      /^12[67]\n/,
    )
    yield* eventually("no file is left", () => left().length === 0)
  }))

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

it.live("has a name where a program does not see the descriptors of this process, and opens nothing by it again", () =>
  Effect.gen(function* () {
    const { left, shop } = yield* places
    const builtins = nodeBuiltins()
    if (builtins === undefined) throw new Error("no built-in modules")
    const into = new Uint8Array(100)
    const file = passFile(builtins, false)
    file.write(bytes("a"))
    file.write(bytes("b"))
    expect(readFileSync(file.word, "utf8")).toBe("ab")
    expect(file.word).toContain(shop.path("tmp"))
    rmSync(file.word)
    symlinkSync(shop.write("secret", "secret"), file.word)
    file.write(bytes("c"))
    expect(new TextDecoder().decode(into.subarray(0, file.read(into)))).toBe("abc")
    expect(file.read(into)).toBe(0)
    file.close()
    file.close()
    expect(() => file.write(bytes("d"))).toThrow("closed")
    expect(() => file.read(into)).toThrow("closed")
    expect(shop.read("secret")).toBe("secret")
    expect(left()).toEqual([])
    // A folder that a link stands for is not followed.
    const other = passFile(builtins, false)
    rmSync(dirname(other.word), { recursive: true })
    symlinkSync(shop.makeDirectory("kept"), dirname(other.word))
    writeFileSync(shop.path("kept/more"), "")
    other.close()
    expect(readdirSync(shop.path("kept"))).toEqual(["more"])
  }))

it.live.skipIf(process.platform !== "linux")(
  "has no name where a program sees them, and can be opened by its word",
  () =>
    Effect.gen(function* () {
      const { left, shop } = yield* places
      const builtins = nodeBuiltins()
      if (builtins === undefined) throw new Error("no built-in modules")
      const file = passFile(builtins, true)
      expect(readdirSync(shop.path("tmp"))).toEqual([])
      expect(file.word).toMatch(/^\/proc\/\d+\/fd\/\d+$/)
      writeFileSync(file.word, "written")
      const into = new Uint8Array(100)
      expect(new TextDecoder().decode(into.subarray(0, file.read(into)))).toBe("written")
      file.close()
      expect(left()).toEqual([])
    }),
)
