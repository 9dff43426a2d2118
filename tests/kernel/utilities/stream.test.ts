import { expect, it } from "@effect/vitest"
import type { Program } from "../../../src/kernel/System.ts"
import { makeFiles, run } from "./support.ts"
import { commands } from "./words.ts"

const words = (text: string, more: Readonly<Record<string, Program>> = {}) => run(commands(text), makeFiles(), {}, more)

/** Writes a number of blocks, of 64 KiB by default. */
const blocks = (count: number, block: Uint8Array = new Uint8Array(65_536).fill(120)): Program => async (system) => {
  for (let at = 0; at < count; at++) {
    const written = await system.writeAll(1, block)
    if (written < 0) return 1
  }
  return 0
}

it("ends an endless producer when its reader has enough", async () => {
  for (
    const text of [
      "yes | head -n 5 | wc -l",
      "yes | grep -m 5 y | wc -l",
      "yes | sed 5q | wc -l",
      "seq 1 1e15 | head -n 5 | wc -l",
    ]
  ) {
    expect((await words(text)).stdout.trim(), text).toBe("5")
  }
})

it("returns the exit code of a writer without a reader", async () => {
  const codes: Array<number> = []
  const status: Program = async (system) => {
    const pipe = system.pipe()
    if (typeof pipe === "number") return 1
    const [read, write] = pipe
    system.spawn({ args: ["yes"], fds: [[1, write], [2, 2]], program: "yes" })
    system.close(write)
    await system.read(read, new Uint8Array(10))
    system.close(read)
    const ended = await system.wait(-1)
    if (typeof ended === "object") codes.push(ended.exitCode)
    return 0
  }
  await words("status", { status })
  expect(codes).toEqual([141])
})

it("streams 64 MiB through a pipeline", async () => {
  const found = await words("blocks | cat | tee | wc -c", { blocks: blocks(1024) })
  expect(found.stdout.trim()).toBe(`${64 * 1024 * 1024}`)
})

it("keeps only the end of tail's input", async () => {
  const line = new TextEncoder().encode(`${"y".repeat(63)}\n`.repeat(1024))
  const found = await words("blocks | tail -n 2", { blocks: blocks(512, line) })
  expect(found.stdout).toBe(`${"y".repeat(63)}\n`.repeat(2))
})

it("forwards its input before it waits for more", async () => {
  let seen = ""
  const slow: Program = async (system) => {
    await system.writeAll(1, new TextEncoder().encode("one\n"))
    while (seen === "") await system.sleep(1)
    await system.writeAll(1, new TextEncoder().encode("two\n"))
    return 0
  }
  const watch: Program = async (system) => {
    const into = new Uint8Array(100)
    for (let got = await system.read(0, into); got > 0; got = await system.read(0, into)) {
      seen += new TextDecoder().decode(into.subarray(0, got))
    }
    return 0
  }
  for (const filter of ["cat", "grep o", "sed p", "cut -c 1-", "tr a b", "tee", "head", "nl"]) {
    seen = ""
    await words(`slow | ${filter} | watch`, { slow, watch })
    expect(seen, filter).toContain("two")
  }
})

it("matches a hostile pattern in time linear in the text", async () => {
  const text = new TextEncoder().encode(`${"a".repeat(20_000)}\n`)
  const hostile = { blocks: blocks(1, text) }
  for (const pattern of ["(a*)*b", "(a|aa)+$b", "((a*)*)*c", "(a?){200}a{200}c", ".*.*.*.*.*x", "(.*a){20}b"]) {
    expect((await words(`blocks | grep -cE '${pattern}'`, hostile)).stdout, pattern).toBe("0\n")
    expect((await words(`blocks | sed -nE 's/${pattern}/x/gp'`, hostile)).stdout, pattern).toBe("")
  }
})

it("fails after too many steps of a pattern with back references", async () => {
  const text = new TextEncoder().encode(`${"a".repeat(3_000)}\n`)
  const found = await words("blocks | grep -E '(a*)*\\1*\\1*b'", { blocks: blocks(1, text) })
  expect(found.exitCode).toBe(2)
  expect(found.stderr).toContain("too many steps")
})

it("refuses a pattern that is too large", async () => {
  const found = await words("grep -E '((a{1000}){1000}){1000}' abc.txt")
  expect(found.exitCode).toBe(2)
  expect(found.stderr).toContain("too big")
})

it("matches names against a hostile glob in linear time", async () => {
  const name = "a".repeat(200)
  const found = await words(`touch ${name}; find . -name '*a*a*a*a*a*a*a*a*a*a*a*a*b'`)
  expect(found).toMatchObject({ exitCode: 0, stdout: "" })
})

it("refuses more input than sort may hold", async () => {
  const found = await words("seq 100000 | sort -S 100K")
  expect(found.exitCode).toBe(2)
  expect(found.stderr).toContain("-S")
})

it("sorts more lines than one run", async () => {
  const found = await words("seq 70000 | sort -rn | sort -n | md5sum; seq 70000 | md5sum")
  const [one, two] = found.stdout.split("\n")
  expect(one).toBe(two)
})

it("follows a file that grows", async () => {
  const grow: Program = async (system) => {
    const add = async (path: string, text: string): Promise<void> => {
      const fd = system.open(path, { create: true, flags: 1, write: true })
      await system.writeAll(fd, new TextEncoder().encode(text))
      system.close(fd)
    }
    await add("/work/log", "one\n")
    const pipe = system.pipe()
    if (typeof pipe === "number") return 1
    const [read, write] = pipe
    const pid = system.spawn({
      args: ["tail", "-f", "-s", "0.01", "/work/log"],
      fds: [[1, write], [2, 2]],
      program: "tail",
    })
    system.close(write)
    const into = new Uint8Array(100)
    let got = await system.read(read, into)
    await system.writeAll(1, into.subarray(0, got))
    await add("/work/log", "two\n")
    got = await system.read(read, into)
    await system.writeAll(1, into.subarray(0, got))
    system.kill(pid, 15)
    const ended = await system.wait(pid)
    return typeof ended === "object" ? ended.exitCode : 1
  }
  expect(await words("grow", { grow })).toMatchObject({ exitCode: 143, stdout: "one\ntwo\n" })
})

it("ends a command that takes too long", async () => {
  expect((await words("timeout 0.05 sleep 10")).exitCode).toBe(124)
  expect((await words("timeout -s KILL 0.05 sleep 10")).exitCode).toBe(137)
  expect((await words("timeout 5 missing")).exitCode).toBe(127)
  expect((await words("timeout x true")).exitCode).toBe(125)
  const stubborn: Program = async (system) => {
    system.onSignal(15, "ignore")
    await system.sleep(10_000)
    return 0
  }
  expect((await words("timeout -k 0.05 0.05 stubborn", { stubborn })).exitCode).toBe(137)
})

it("ends with its command, however soon that ends", async () => {
  expect((await words("timeout 600 true")).exitCode).toBe(0)
  expect((await words("timeout 600 false")).exitCode).toBe(1)
  expect((await words("timeout 600 sleep 0.01")).exitCode).toBe(0)
  expect((await words("timeout -k 600 0.001 sleep 600")).exitCode).toBe(124)
})

it("does not copy a directory into itself endlessly", async () => {
  const found = await words("cp -R dir dir/sub/deep; cat dir/sub/deep/dir/sub/deep/x.txt; cp -R dir dir/sub/deep")
  expect(found).toMatchObject({ complained: true, exitCode: 1, stdout: "deep alpha\n" })
})

it("creates temporary names that are unused", async () => {
  const found = await words("mktemp; mktemp -d; mktemp -p . xXXXb; mktemp aX; mktemp -u nameXXXX; ls")
  const [file, folder, here, unused] = found.stdout.split("\n")
  expect(file).toMatch(/^\/tmp\/tmp\.[A-Za-z0-9]{10}$/)
  expect(folder).toMatch(/^\/tmp\/tmp\.[A-Za-z0-9]{10}$/)
  expect(here).toMatch(/^\.\/x[A-Za-z0-9]{3}b$/)
  expect(unused).toMatch(/^name[A-Za-z0-9]{4}$/)
  expect(found.stderr).toContain("too few X's")
})

it("prints the user, the host and the directory", async () => {
  expect((await words("whoami; id -u; id -un; hostname; uname -s; which cat; pwd")).stdout).toBe(
    "root\n0\nroot\nlocalhost\nSluice\n/usr/bin/cat\n/work\n",
  )
})

it("prints the options of a utility", async () => {
  const found = await words("sort --help")
  expect(found.exitCode).toBe(0)
  expect(found.stdout).toContain("--reverse")
})

it("dumps bytes in hexadecimal and reads them back", async () => {
  expect((await words("echo hello | xxd")).stdout).toBe("00000000: 6865 6c6c 6f0a                           hello.\n")
  expect((await words("echo hello | xxd -p")).stdout).toBe("68656c6c6f0a\n")
  expect((await words("cat binary | xxd | xxd -r | md5sum; md5sum < binary")).stdout).toMatch(/^(.*)\n\1\n$/)
  expect((await words("cat binary | xxd -p | xxd -r -p | md5sum; md5sum < binary")).stdout).toMatch(/^(.*)\n\1\n$/)
})
