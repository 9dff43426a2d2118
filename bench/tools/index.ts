/** Lists the tools, their runtimes and their files. */
import type { Tool } from "./Tool.ts"

/** The runtimes, in the order of the tables. */
export const runtimes = ["deno", "bun", "node"] as const
export type Runtime = (typeof runtimes)[number]

/** A tool, or one way of using it. */
export interface Entry {
  readonly id: string
  /** What the tables call it. */
  readonly title: string
  /** Where it runs. Default: everywhere. */
  readonly only?: Runtime
  /** Whether it is Sluice, a peer, or the floor under both. */
  readonly kind: "floor" | "peer" | "sluice"
  readonly load: () => Promise<Tool>
}

const here: Runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node"

const raw = async (): Promise<Tool> =>
  here === "deno"
    ? (await import("./rawDeno.ts")).tool
    : here === "bun"
    ? (await import("./rawBun.ts")).tool
    : (await import("./rawNode.ts")).tool

/** The tools. Each is loaded only where it is measured: the others' memory and modules stay out of its process. */
export const entries: ReadonlyArray<Entry> = [
  { id: "raw", title: "runtime floor", kind: "floor", load: raw },
  {
    id: "raw:byob",
    title: "runtime floor, one reused buffer",
    kind: "floor",
    only: "deno",
    load: async () => (await import("./rawDeno.ts")).byob,
  },
  {
    id: "sluice",
    title: "Sluice",
    kind: "sluice",
    load: async () => (await import("./sluice.ts")).tool,
  },
  {
    id: "sluice:lineCount",
    title: "Sluice, lineCount(50)",
    kind: "sluice",
    load: async () => (await import("./sluice.ts")).windows,
  },
  {
    id: "sluice:run",
    title: "Sluice, ./run",
    kind: "sluice",
    load: async () => (await import("./sluiceRun.ts")).tool,
  },
  {
    id: "effect",
    title: "Effect's spawner",
    kind: "peer",
    load: async () => (await import("./effect.ts")).tool,
  },
  {
    id: "execa",
    title: "execa",
    kind: "peer",
    load: async () => (await import("./execa.ts")).tool,
  },
  {
    id: "zx",
    title: "zx",
    kind: "peer",
    load: async () => (await import("./zx.ts")).tool,
  },
  {
    id: "dax",
    title: "dax",
    kind: "peer",
    load: async () => (await import("./dax.ts")).tool,
  },
  {
    id: "tinyexec",
    title: "tinyexec",
    kind: "peer",
    load: async () => (await import("./tinyexec.ts")).tool,
  },
  {
    id: "nano-spawn",
    title: "nano-spawn",
    kind: "peer",
    load: async () => (await import("./nanoSpawn.ts")).tool,
  },
  {
    id: "bun-shell",
    title: "Bun.$",
    kind: "peer",
    only: "bun",
    load: async () => (await import("./bunShell.ts")).tool,
  },
]

/** The runtime that runs this module. */
export const thisRuntime: Runtime = here
