import { expect, it } from "@effect/vitest"
import { OptionError } from "@sluice/shell"
import { resolveContainerShell } from "../../../src/leaves/container/resolveContainerOptions.ts"
import type { Engine } from "../../../src/leaves/container/ContainerSettings.ts"
import {
  execArguments,
  listArguments,
  removeArguments,
  runArguments,
} from "../../../src/leaves/container/engineCommand.ts"

const podman: Engine = { kind: "podman", program: "podman", arguments: ["--runtime", "runc"] }
const docker: Engine = { kind: "docker", program: "docker", arguments: [] }

it("refuses options that are unknown, contradictory, or that the engine would misread", () => {
  const cases: ReadonlyArray<readonly [option: string, options: unknown]> = [
    ["image", {}],
    ["image", { image: "a", rootfs: "/b" }],
    ["image", { image: "a", container: "b" }],
    ["mounts", { container: "b", mounts: [] }],
    ["reuse", { container: "b", reuse: true }],
    ["image", { image: "--privileged" }],
    ["container", { container: "-it" }],
    ["user", { image: "a", user: "-x" }],
    ["network", { image: "a", network: "" }],
    ["rootfs", { engine: "docker", rootfs: "/b" }],
    ["rootfs", { rootfs: "b" }],
    ["engine", { image: "a", engine: "lxc" }],
    ["program", { image: "a", program: "--help" }],
    ["program", { image: "a", program: "bin/podman" }],
    ["pull", { image: "a", pull: "sometimes" }],
    ["mounts.source", { image: "a", mounts: [{ source: "b", target: "/c" }] }],
    ["readonly", { image: "a", mounts: [{ source: "/b", target: "/c", readonly: true }] }],
    ["mounts.readOnly", { image: "a", mounts: [{ source: "/b", target: "/c", readOnly: "false" }] }],
    ["readOnly", { image: "a", readOnly: "false" }],
    ["reuse", { image: "a", reuse: 1 }],
    ["extendEnv", { image: "a", extendEnv: "yes" }],
    ["grace", { image: "a", grace: {} }],
    ["size", { image: "a", tmpfs: [{ target: "/a", size: 4096 }] }],
    ["network", { image: "a", network: { allow: [] } }],
    ["user", { image: "a", user: 1000 }],
    ["tmpfs.target", { image: "a", tmpfs: [{ target: "/a:exec" }] }],
    ["runArguments", { image: "a", runArguments: "--privileged" }],
    ["engineArguments", { image: "a", engineArguments: [5] }],
    ["mounts", { image: "a", mounts: "/b:/c" }],
    ["env", { image: "a", env: { A: 5 } }],
    ["env", { image: "a", env: "A=b" }],
    ["limits.memoryBytes", { image: "a", limits: { memoryBytes: 0.5 } }],
    ["limits.cpus", { image: "a", limits: { cpus: 0 } }],
    ["memory", { image: "a", limits: { memory: 1 } }],
    ["env", { image: "a", env: { "A-B": "c" } }],
    ["cwd", { image: "a", cwd: "work" }],
    ["warm", { image: "a", warm: -1 }],
    ["warm", { image: "a", warm: 65 }],
    ["imgae", { imgae: "a" }],
  ]
  for (const [option, options] of cases) {
    let error: unknown
    try {
      // What plain JavaScript may pass.
      resolveContainerShell(JSON.parse(JSON.stringify(options)))
    } catch (thrown) {
      error = thrown
    }
    expect([options, error instanceof OptionError ? error.option : error]).toEqual([options, option])
  }
})

it("builds the command line of a container of podman", () => {
  const { container } = resolveContainerShell({
    rootfs: "/root fs",
    mounts: [{ source: '/a,b"c', target: "/w", readOnly: true }, { source: "/d", target: "/e" }],
    tmpfs: [{ target: "/tmp", maxBytes: 1024 }],
    limits: { memoryBytes: 64, processes: 8, cpus: 1.5 },
    user: "1:2",
    readOnly: true,
    runArguments: ["--ulimit", "nofile=9:9"],
  })
  if (container === undefined) throw new Error("it makes a container")
  expect(runArguments(podman, container, { name: "n", labels: { l: "v" }, words: ["sh", "-c", "x y"] })).toEqual([
    "--runtime",
    "runc",
    "run",
    "--rm",
    "--interactive",
    "--name=n",
    "--label=l=v",
    "--log-driver=none",
    "--pull=never",
    "--network=none",
    "--security-opt=no-new-privileges",
    "--user=1:2",
    "--read-only",
    "--memory=64b",
    "--memory-swap=64b",
    "--pids-limit=8",
    "--cpus=1.5",
    '--mount=type=bind,"source=/a,b""c",target=/w,readonly',
    "--mount=type=bind,source=/d,target=/e",
    "--tmpfs=/tmp:rw,nosuid,nodev,size=1024",
    "--ulimit",
    "nofile=9:9",
    "--entrypoint=sh",
    "--rootfs",
    "/root fs",
    "-c",
    "x y",
  ])
})

it("builds the command lines of docker", () => {
  const { container } = resolveContainerShell({ engine: "docker", image: "alpine:3", network: "bridge" })
  if (container === undefined) throw new Error("it makes a container")
  expect(runArguments(docker, container, { name: "n", labels: {}, words: ["sh", "-c", "x"] })).toEqual([
    "run",
    "--rm",
    "--interactive",
    "--name=n",
    "--log-driver=none",
    "--pull=never",
    "--network=bridge",
    "--security-opt=no-new-privileges",
    "--entrypoint=sh",
    "alpine:3",
    "-c",
    "x",
  ])
  expect(execArguments(docker, { container: "c", user: "1", words: ["sh"] })).toEqual([
    "exec",
    "--interactive",
    "--user=1",
    "c",
    "sh",
  ])
  expect(removeArguments(docker, "c")).toEqual(["rm", "--force", "--volumes", "c"])
  expect(removeArguments(podman, "c").slice(2)).toEqual(["rm", "--force", "--time=0", "--volumes", "c"])
  expect(listArguments(docker, "a=b", ["c"]).at(-1)).toBe('--format={{.ID}}\t{{.Label "c"}}')
  expect(listArguments(podman, "a=b", ["c"]).at(-1)).toBe('--format={{.ID}}\t{{index .Labels "c"}}')
})
