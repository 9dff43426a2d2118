/** Compares the decompression of bzip2 and xz with the programs of Debian, on data that these made. */
import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Sandbox } from "@sluice/shell/sandbox"

const has = (program: string): boolean => spawnSync("which", [program]).status === 0

/** Compresses by the installed program, by way of a file: `spawnSync` of Deno waits forever with a large standard input. */
const compress = (program: string, args: ReadonlyArray<string>, input: Uint8Array): Uint8Array => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-decompress-"))
  try {
    const file = join(folder, "f")
    writeFileSync(file, input)
    const { status, stdout } = spawnSync(program, ["-c", ...args, file], { maxBuffer: 2 ** 28 })
    if (status !== 0) throw new Error(`${program} ended with ${status}`)
    return Uint8Array.from(stdout)
  } finally {
    rmSync(folder, { force: true, recursive: true })
  }
}

/** Repeatable noise, in which some bytes come more often. */
const noise = (length: number, seed: number): Uint8Array => {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = Math.imul(state, 1_103_515_245) + 12_345 >>> 0
    return (state >>> 16 & 255) % (seed % 251 + 5)
  })
}

const text = (count: number): string =>
  Array.from({ length: count }, (_, line) => `line ${line} of ${line * 7 % 1_000}, ${"ab".repeat(line % 9)}\n`).join("")

const samples: Readonly<Record<string, Uint8Array>> = {
  empty: new Uint8Array(0),
  byte: Uint8Array.of(65),
  text: new TextEncoder().encode(text(40_000)),
  noise: noise(150_000, 3_000_000_019),
  bytes: noise(70_000, 250),
  runs: Uint8Array.from({ length: 300_000 }, (_, at) => at >> (at >> 15)),
  equal: new Uint8Array(3_000_000).fill(97),
}

const ways = [
  ["bzip2", "bz2", "bunzip2", [[], ["-1"]]],
  ["xz", "xz", "unxz", [[], ["-0", "-C", "crc32"], ["-9e", "-C", "sha256"], ["-C", "none"], [
    "--lzma2=dict=4KiB,lc=0,lp=2,pb=4",
  ]]],
] as const

for (const [program, suffix, decompressor, levels] of ways) {
  it.skipIf(!has(program))(`${decompressor} restores what ${program} compressed (needs ${program})`, async () => {
    for (const args of levels) {
      const files = Object.fromEntries(
        Object.entries(samples).map(([name, bytes]) => [`${name}.${suffix}`, compress(program, args, bytes)]),
      )
      await using sandbox = await Sandbox.open({ files })
      const { stdout } = await sandbox.run(
        `${decompressor} -k *.${suffix}; ls; cat *.${suffix} | ${program} -dc | wc -c`,
      )
      const names = Object.keys(samples).flatMap((name) => [name, `${name}.${suffix}`])
      const length = Object.values(samples).reduce((sum, bytes) => sum + bytes.length, 0)
      expect(stdout).toBe(`${names.sort().join("\n")}\n${length}\n`)
      for (const [name, bytes] of Object.entries(samples)) {
        const restored = await sandbox.readFile(name)
        expect(Buffer.compare(restored, bytes), `${name} ${args.join(" ")}`).toBe(0)
      }
    }
  })

  it.skipIf(!has(program))(`${decompressor} finds damage anywhere (needs ${program})`, async () => {
    const whole = compress(program, [], new TextEncoder().encode(text(300)))
    const files: Record<string, Uint8Array> = {}
    for (let at = 8; at < whole.length; at += Math.ceil(whole.length / 60)) {
      files[`cut${at}`] = whole.slice(0, at)
      files[`bit${at}`] = whole.map((byte, index) => index === at ? byte ^ 16 : byte)
    }
    await using sandbox = await Sandbox.open({ files })
    const { stdout } = await sandbox.run(`for f in *; do ${program} -t $f 2>/dev/null && echo $f; done; echo end`)
    expect(stdout).toBe("end\n")
  })

  it.skipIf(!has(program))(`tar reads archives of ${program} (needs ${program})`, async () => {
    await using sandbox = await Sandbox.open({ files: { a: "1\n", "d/b": text(5_000) } })
    await sandbox.run("tar cf x.tar a d")
    const archive = compress(program, [], await sandbox.readFile("x.tar"))
    await using other = await Sandbox.open({ files: { [`x.tar.${suffix}`]: archive } })
    const letter = program === "xz" ? "J" : "j"
    const { stdout } = await other.run(
      `tar tf x.tar.${suffix}; tar x${letter}f x.tar.${suffix}; cat a; wc -l < d/b; cat x.tar.${suffix} | tar x${letter}O a; ` +
        `tar c${letter}f y a 2>/dev/null; echo $?; tar x${letter}f a 2>/dev/null; echo $?`,
    )
    expect(stdout).toBe("a\nd/\nd/b\n1\n5000\n1\n2\n2\n")
  })
}

it("refuses to compress, and says what to do", async () => {
  await using sandbox = await Sandbox.open({ files: { a: "1\n" } })
  const { exitCode, stderr } = await sandbox.run("bzip2 a; xz a", { check: false })
  expect(stderr).toBe(
    "bzip2: compression is not supported: use gzip, or -d to decompress\n" +
      "xz: compression is not supported: use gzip, or -d to decompress\n",
  )
  expect(exitCode).toBe(1)
})
