/** Holds the state that all nodes of one mounted host folder share: root path, times, quota and device numbers. */
import type { Stat } from "../Stat.ts"
import type { HostFiles } from "./HostFiles.ts"
import { HostTimes } from "./HostTimes.ts"
import { GrowthQuota } from "./GrowthQuota.ts"
import type { VolumeContext } from "./Node.ts"

export class HostVolume {
  readonly files: HostFiles
  readonly root: string
  readonly times: HostTimes = new HostTimes()
  readonly growth: GrowthQuota
  /** Whether a name, given by the names from the root to it, may not be changed. */
  readonly #protects: ((names: ReadonlyArray<string>) => boolean) | undefined
  readonly #context: VolumeContext
  readonly #devices = new Map<number, number>()

  constructor(
    files: HostFiles,
    root: string,
    context: VolumeContext,
    protects?: (names: ReadonlyArray<string>) => boolean,
  ) {
    this.#protects = protects
    this.files = files
    this.root = root
    this.#context = context
    this.growth = context.growth ?? new GrowthQuota(Infinity)
  }

  /** Translates a stat of the host: exact times, and a device number of this file system. */
  readonly toGuestStat = (stat: Stat): Stat => {
    let device = this.#devices.get(stat.device)
    if (device === undefined) this.#devices.set(stat.device, device = this.#context.device())
    return { ...this.times.exact(stat), device }
  }

  protects(folder: string, name: string): boolean {
    return this.#protects !== undefined &&
      this.#protects([...folder.slice(this.root.length).split("/").filter((part) => part !== ""), name])
  }

  setTimes(path: string, accessed: bigint | undefined, modified: bigint | undefined): number {
    const { files } = this
    const change = (accessed: bigint, modified: bigint): number => files.setTimes(path, accessed, modified)
    return this.times.set(() => files.lstat(path), change, accessed, modified)
  }
}

export interface HostParent {
  /** Its current path on the host. */
  readonly hostPath: () => string
  readonly volume: HostVolume
  /** Calls `use` with a path to a name in this folder, safe against concurrent changes on the host. */
  readonly at: <A>(name: string, use: (path: string) => A | number) => A | number
  /** The same for a change: `-EPERM` for a protected name. */
  readonly change: <A>(name: string, use: (path: string) => A | number) => A | number
}
