/** Gives its own descriptors to commands. */
import { $ } from "../../src/run/mod.ts"

const inherited = { stdin: "inherit", stdout: "inherit", stderr: "inherit" } as const
const { ok, stdout } = await $(inherited)`sh -c ${"cat; echo done"}`
console.error(JSON.stringify([ok, stdout]))
await $({ stdout: "tee" })`echo shown`
