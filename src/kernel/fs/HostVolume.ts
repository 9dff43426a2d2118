/**
 * Holds the state that all nodes of one host folder share: root path, times, quota and device numbers.
 *
 * @module
 */
import type { Stat } from "../Stat.ts"
import type { HostFiles } from "./HostFiles.ts"
import { HostTimes } from "./HostTimes.ts"
import { GrowthQuota } from "./GrowthQuota.ts"
import type { VolumeContext } from "./Node.ts"

/** What all nodes of one host folder share. */
export class HostVolume {
  readonly files: HostFiles
  /** Its canonical path on the host. */
  readonly root: string
  readonly times: HostTimes = new HostTimes()
  readonly growth: GrowthQuota
  readonly #context: VolumeContext
  readonly #devices = new Map<number, number>()

  constructor(files: HostFiles, root: string, context: VolumeContext) {
    this.files = files
    this.root = root
    this.#context = context
    this.growth = context.growth ?? new GrowthQuota(Infinity)
  }

  /** With a device number of this file system: the host's own may be that of another volume here. */
  readonly asSeen = (stat: Stat): Stat => {
    let device = this.#devices.get(stat.device)
    if (device === undefined) this.#devices.set(stat.device, device = this.#context.device())
    return { ...this.times.exact(stat), device }
  }

  /** Sets times of what is at a path; what is not told stays. */
  setTimes(path: string, accessed: bigint | undefined, modified: bigint | undefined): number {
    const { files } = this
    const change = (accessed: bigint, modified: bigint): number => files.setTimes(path, accessed, modified)
    return this.times.set(() => files.lstat(path), change, accessed, modified)
  }
}

/** The folder of the host in which a name is. */
export interface HostParent {
  readonly volume: HostVolume
  /** Calls with a path of the name that leads to this folder, whatever happens on the host meanwhile. */
  readonly at: <A>(name: string, use: (path: string) => A | number) => A | number
}
