/** Archives made to hold the event loop or the memory: other processes run meanwhile, or the archive is refused. */
import { expect, it, vi } from "@effect/vitest"
import { concatBytes } from "../../../src/base/bytes.ts"
import type { TarEntry } from "../../../src/kernel/fs/tar.ts"
import { archiveEnd, memberHeader } from "../../../src/kernel/fs/tarWriter.ts"
import { WaitCalls } from "../../../src/kernel/process/WaitCalls.ts"
import { makeWorld, start } from "../shell/support.ts"

type World = ReturnType<typeof makeWorld>

const run = (world: World, script: string) => start(world, "sh", ["sh", "-c", script]).answer

/** The turns that other processes are offered while a script runs. */
const countTurns = async (world: World, script: string): Promise<number> => {
  const yields = vi.spyOn(WaitCalls.prototype, "yield")
  try {
    expect(await run(world, script)).toMatchObject({ stderr: "", exitCode: 0 })
    return yields.mock.calls.filter(([cost]) => cost === Infinity).length
  } finally {
    yields.mockRestore()
  }
}

/** A world with an archive of one member, `a.tar`. */
const withTar = async (entry: Pick<TarEntry, "path" | "type" | "target">): Promise<World> => {
  const world = makeWorld()
  const header = memberHeader({ ...entry, mode: 0o644, modified: 0n, size: 0, records: new Map() })
  const text = Buffer.from(concatBytes([...header, archiveEnd()])).toString("base64")
  await run(world, `echo ${text} | base64 -d > a.tar`)
  return world
}

it("tar lets other processes run while it compares a name of many parts with a pattern", async () => {
  const world = await withTar({ path: `${"a/".repeat(1_500)}b`, target: "", type: "file" })
  expect(await countTurns(world, "tar tf a.tar --exclude=zz")).toBeGreaterThan(1_000)
})

it.each(
  [
    ["a name of many slashes", { path: `${"/".repeat(60_000)}x`, target: "", type: "file" }],
    ["a name of many parts", { path: "a/".repeat(10_000), target: "", type: "folder" }],
    ["the target of a link", { path: "l", target: `../${"a".repeat(30_000)}`, type: "link" }],
  ] as const,
)("tar refuses %s that is too long", async (_, entry) => {
  const { exitCode, stderr, stdout } = await run(await withTar(entry), "tar tf a.tar --exclude=zz")
  expect([exitCode, stdout]).toEqual([2, ""])
  expect(stderr).toMatch(/^tar: the names of a member are too long\n/)
})

it.each(["x", "g"])("tar refuses records of type %s that never end", async (flag) => {
  const world = makeWorld()
  const records = new Map([["SLUICE.note", "n".repeat(30_000)]])
  const entry = { mode: 0o644, modified: 0n, path: "a", records, size: 0, target: "", type: "file" } as const
  const header = Uint8Array.from(concatBytes([...memberHeader(entry)]).subarray(0, 512 + 30_208))
  // The sum of the header changes with its type.
  const sum = [...header.subarray(148, 154)].map((byte) => String.fromCharCode(byte)).join("")
  const changed = Number.parseInt(sum, 8) + flag.charCodeAt(0) - (header[156] ?? 0)
  header.set(new TextEncoder().encode(changed.toString(8).padStart(6, "0")), 148)
  header[156] = flag.charCodeAt(0)
  const text = Buffer.from(header).toString("base64")
  await run(world, `echo ${text} | base64 -d > h`)
  const { exitCode, stderr } = await run(world, "(while cat h; do :; done) 2> /dev/null | tar tf -")
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("the names of a member are too long")])
})

it("tar warns about 100 prefixes that it removes", async () => {
  const world = makeWorld()
  const members = Array.from({ length: 300 }, (_, at) =>
    concatBytes([...memberHeader({
      ...{ mode: 0o644, modified: 0n, path: `/d${at}/../x`, records: new Map<string, string>(), size: 0, target: "" },
      type: "file",
    })]))
  const text = Buffer.from(concatBytes([...members, archiveEnd()])).toString("base64")
  await run(world, `echo ${text} | base64 -d > a.tar`)
  const { stderr } = await run(world, "tar xf a.tar")
  expect(stderr.split("\n").filter((line) => line.includes("Removing"))).toHaveLength(101)
})

// Blocks of ten bits each: no literal, only the end of the block.
const emptyBlocks = "yes 0208208000 | head -n 40000"
const gzip = `{ echo 1f8b0800000000000003; ${emptyBlocks}; echo 03000000000000000000; } | xxd -r -p > a.gz`

it.each([["gunzip", "gunzip -c a.gz"], ["tar", "{ tar xzf a.gz; } 2>&1"]])(
  "%s lets other processes run while it inflates empty blocks",
  async (_, script) => {
    const world = makeWorld()
    await run(world, gzip)
    expect(await countTurns(world, `${script} | wc -c`)).toBeGreaterThan(2_000)
  },
)

it.each([["patterns", "'*a*b*c*' '*f*'"], ["an exclusion", "-x '*a*b*c*'"]])(
  "unzip lets other processes run while it compares many names with %s",
  async (_, patterns) => {
    const world = makeWorld()
    await run(world, "touch abc f{1..300}; zip -q a.zip abc f*")
    expect(await countTurns(world, `unzip -l a.zip ${patterns}`)).toBeGreaterThan(250)
  },
)

it("unzip holds no target of a link that is too long", async () => {
  const script = "head -c 4096 /dev/zero | tr '\\0' a > f; ln -s bbbb l; zip -yq a.zip l; " +
    // The size is 24 bytes after the signature of the central directory, that of compressed data 20.
    "s=$(stat -c %s a.zip); c=$(grep -abo 'PK.\\?' a.zip | sed -n 2p); c=${c%%:*}; " +
    "{ head -c $((c + 24)) a.zip; printf '\\0\\20\\0\\0'; tail -c +$((c + 29)) a.zip; } > b.zip; rm l; unzip -o b.zip; ls"
  const { stderr, stdout } = await run(makeWorld(), script)
  expect(stderr).toBe("l:  the target of a link is too long\n")
  expect(stdout).not.toContain("linking")
})

it("tar refuses more directories than it holds details of", async () => {
  const double = "for i in {1..16}; do cat m m > n; mv n m; done"
  const script = `mkdir d; tar cf a.tar d; head -c 512 a.tar > one; cp one m; ${double}; cat m one | tar xf -`
  const { exitCode, stderr } = await run(makeWorld(), script)
  expect([exitCode, stderr]).toEqual([2, "tar: more than 65536 directories and links that lead out of the directory\n"])
})

it("tar refuses damaged records of a member", async () => {
  const world = await withTar({ path: "d", target: "", type: "folder" })
  const { exitCode, stderr } = await run(world, "head -c 512 a.tar > b; head -c 512 /dev/zero >> b; tar tf b")
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^tar: This does not look like a tar archive\n/)])
})
