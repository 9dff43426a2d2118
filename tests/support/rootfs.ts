/** A root file system for containers of podman, made of BusyBox, and the options with which it runs on machines such as a CI's. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Crun and the system's own limits do not do in a container of their own, such as that of a CI. */
export const engineOptions = {
  engineArguments: ["--runtime", "runc"],
  runArguments: ["nofile", "nproc"].flatMap((name) => ["--ulimit", `${name}=4096:4096`]),
}

/** Calls podman on the files of this machine; answers its exit code and output. */
export const podman = (...args: ReadonlyArray<string>) =>
  spawnSync("podman", [...engineOptions.engineArguments, ...args], { encoding: "utf8" })

export interface Rootfs {
  readonly path: string
  /** Whether this system can start a container of it. */
  readonly canRun: boolean
  readonly remove: () => void
}

/** Makes the folder, with all programs of BusyBox. */
export const makeRootfs = (): Rootfs => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "sluice-rootfs-")))
  const remove = () => rmSync(path, { recursive: true, force: true })
  const busybox = process.platform === "linux"
    ? spawnSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).stdout?.trim() ?? ""
    : ""
  if (busybox === "") return { path, canRun: false, remove }
  for (const folder of ["bin", "usr", "tmp", "work", "etc"]) mkdirSync(join(path, folder))
  cpSync(busybox, join(path, "bin/busybox"))
  writeFileSync(join(path, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n")
  symlinkSync("../bin", join(path, "usr/bin"))
  const names = spawnSync(busybox, ["--list"], { encoding: "utf8" }).stdout.trim().split("\n")
  for (const name of names) {
    if (name !== "busybox") symlinkSync("busybox", join(path, "bin", name))
  }
  const canRun = podman(
    "run",
    "--rm",
    "--network=none",
    ...engineOptions.runArguments,
    "--rootfs",
    path,
    "true",
  ).status === 0
  return { path, canRun, remove }
}
