/**
 * Exports the sandbox, which runs shell scripts inside this program, its `Shell` layer, its utilities, and the volumes
 * and devices of its file system. It has a process kernel with pipes, signals and a file system, a shell and the
 * utilities that scripts expect, on Deno, Bun, Node and the edge. A script sees nothing of the host except what is
 * mounted.
 *
 * `Sandbox` runs scripts, with Effect or with promises (`Sandbox.open`). `KernelShell` is a sandbox as a `Shell` layer.
 * The file system is made of volumes: `memory`, `hostFolder`, `overlay`, `readOnly`, `union`, `devices`. `Utilities`
 * holds each utility as a program of its own, for sandboxes that bundle only a few. Programs, volumes and WASI hosts of
 * your own are written against `@sluice/shell/kernel`.
 *
 * @module
 * @stability stable
 */
export { type Device, devices, type DevicesOptions } from "../kernel/fs/devices.ts"
export { hostFolder } from "../kernel/fs/HostFolder.ts"
export { memory, type MemoryOptions } from "../kernel/fs/memory.ts"
export type { MemoryLimits } from "../kernel/fs/MemoryVolume.ts"
export { overlay, readOnly, union } from "../kernel/fs/overlay.ts"
export type { NetworkDecision, NetworkPolicy, NetworkRule } from "../kernel/network/NetworkPolicy.ts"
export * as Extension from "../kernel/public/Extension.ts"
export * as Utilities from "../kernel/utilities/Utilities.ts"
export * as KernelShell from "../leaves/kernel/KernelShell.ts"
export { type BashToolSandbox, toBashTool } from "./toBashTool.ts"
export * as Sandbox from "./Sandbox.ts"
