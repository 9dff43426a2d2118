import { expect, it } from "@effect/vitest"
import { importMemory } from "../../../src/kernel/process/wasmBinary.ts"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { expectedTally, makeKernel, produced, run } from "./support.ts"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"

const magic = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const binary = (...sections: ReadonlyArray<ReadonlyArray<number>>) => Uint8Array.from([...magic, ...sections.flat()])
const custom = [0, 3, 1, 0x78, 9]
const types = [1, 4, 1, 0x60, 0, 0]
const functionImport = [2, 7, 1, 1, 0x61, 1, 0x62, 0, 0]
const memory = [5, 3, 1, 0, 2]
const bounded = [5, 4, 1, 1, 2, 7]
const exported = [7, 5, 1, 1, 0x6d, 2, 0]

const importsOf = (bytes: Uint8Array<ArrayBuffer>) =>
  WebAssembly.Module.imports(new WebAssembly.Module(bytes)).map(({ kind, module, name }) => `${kind} ${module}.${name}`)

it.each(
  [
    ["no imports", binary(memory, exported), ["memory sluice.memory"], undefined],
    [
      "types before, names after",
      binary(custom, types, custom, memory, exported, custom),
      ["memory sluice.memory"],
      undefined,
    ],
    ["other imports", binary(types, functionImport, bounded), ["function a.b", "memory sluice.memory"], 7],
  ] as const,
)("makes an import of a memory: %s", (_, bytes, imports, maximum) => {
  const prepared = importMemory(Uint8Array.from(bytes))
  expect(prepared.memory).toEqual({ module: "sluice", name: "memory", minimum: 2, maximum })
  expect(importsOf(prepared.bytes)).toEqual(imports)
})

it("keeps a memory that is imported already", () => {
  const bytes = binary([2, 9, 1, 1, 0x61, 1, 0x6d, 2, 1, 3, 4])
  expect(importMemory(bytes)).toEqual({ bytes, memory: { module: "a", name: "m", minimum: 3, maximum: 4 } })
})

it("gives the memory that a program exports", () => {
  const { bytes } = importMemory(binary(bounded, exported))
  const given = new WebAssembly.Memory({ initial: 2, maximum: 5 })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { sluice: { memory: given } })
  expect(exports["m"]).toBe(given)
})

it.each([
  ["nothing", new Uint8Array(0)],
  ["no memory", binary(types)],
  ["a section that ends too early", binary([2, 7, 1, 1, 0x61])],
  ["a length without an end", binary([5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
  ["a count that is too high", binary([2, 5, 0xff, 0xff, 0xff, 0xff, 0x0f])],
])("leaves an unknown binary to the engine: %s", (_, bytes) => {
  expect(importMemory(bytes)).toEqual({ bytes, memory: undefined })
})

it("does not mind any bytes", () => {
  const valid = binary(custom, types, functionImport, bounded, exported)
  for (let at = 0; at < valid.length; at++) {
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const changed = valid.slice()
      changed[at] = value
      expect(importMemory(changed).bytes).toBeInstanceOf(Uint8Array)
    }
  }
})

if (canCompileC) {
  it.each([
    ["its own memory", []],
    ["a memory that it imports", ["-Wl,--import-memory", "-Wl,--max-memory=1048576"]],
    ["a memory with a limit", ["-Wl,--max-memory=1048576"]],
  ])("runs a C program with %s", async (_, flags) => {
    const kernel = makeKernel({ programs: { tally: await compileC("tally", flags) } })
    for (const seed of [1, 2]) {
      const ran = await run(kernel, { program: "tally" }, new StaticFile(produced(1_000, seed)))
      expect(ran).toMatchObject({ exitCode: 0, stdout: expectedTally(1_000, seed), stderr: "" })
    }
  })

  it("runs only `_initialize` of a library", async () => {
    const kernel = makeKernel({ programs: { library: await compileC("relay", ["-mexec-model=reactor"]) } })
    expect(await run(kernel, { program: "library" }, new StaticFile(produced(9, 1)))).toMatchObject({
      exitCode: 0,
      stdout: "",
    })
  })
}

it("does not start a program with unknown imports", async () => {
  const kernel = makeKernel({ programs: { other: binary(types, functionImport) } })
  const ran = await run(kernel, { program: "other", args: ["other"] })
  expect(ran).toMatchObject({ exitCode: 134, reason: { _tag: "Fault" } })
  expect(ran.stderr).toMatch(/^other: (TypeError|LinkError): /)
})

const unbounded = [
  ["a shared memory", [[5, 4, 1, 3, 2, 7]]],
  ["a memory of 64 bits", [[5, 3, 1, 4, 2]]],
  ["two memories", [[5, 5, 2, 0, 1, 0, 1]]],
  ["a memory beside an imported one", [[2, 8, 1, 1, 0x61, 1, 0x6d, 2, 0, 3], [5, 3, 1, 0, 1]]],
] as const

it.each(unbounded)("reports a memory that cannot be limited: %s", (_, sections) => {
  const bytes = binary(...sections)
  expect(importMemory(bytes)).toEqual({ bytes, memory: undefined, unbounded: true })
})

it("does not run a program with memories that cannot be limited, unless there is no limit", async () => {
  // (module (memory 1) (memory 1) (func (export "_start")))
  const start = [7, 10, 1, 6, ...new TextEncoder().encode("_start"), 0, 0]
  const program = binary(types, [3, 2, 1, 0], [5, 5, 2, 0, 1, 0, 1], start, [10, 4, 1, 2, 0, 0x0b])
  const ran = await run(makeKernel({ programs: { program } }), { program: "program" })
  expect(ran).toMatchObject({ exitCode: 134, reason: { _tag: "Fault" } })
  expect(ran.stderr).toContain("Unlimited: the program has several memories")
  // Not every engine has several memories.
  if (!WebAssembly.validate(program)) return
  const free = makeKernel({
    programs: { program },
    limits: { maxMemoryPages: Infinity, maxTotalMemoryPages: Infinity },
  })
  expect(await run(free, { program: "program" })).toMatchObject({ exitCode: 0 })
})
