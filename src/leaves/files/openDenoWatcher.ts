/** Opens Deno's watcher of a folder and all below it, on Deno. */

interface DenoWatcher extends AsyncIterable<DenoFsEvent> {
  readonly close: () => void
}

interface DenoFsEvent {
  readonly kind: string
  readonly paths: ReadonlyArray<string>
  /** `"rescan"` where the system dropped notifications. */
  readonly flag?: string | null
}

interface DenoWatch {
  readonly watchFs: (path: string, options: { readonly recursive: boolean }) => DenoWatcher
}

const hasWatch = (u: unknown): u is DenoWatch =>
  typeof u === "object" && u !== null && "watchFs" in u && typeof u.watchFs === "function"

/** Begins to watch, and returns the function that ends it; throws if the system has no more watches. */
type OpenDenoWatcher = (
  folder: string,
  changed: (paths: ReadonlyArray<string>) => void,
  lost: () => void,
) => () => void

const open = (deno: DenoWatch): OpenDenoWatcher => (folder, changed, lost) => {
  const watcher = deno.watchFs(folder, { recursive: true })
  let isOpen = true
  const follow = async (): Promise<void> => {
    for await (const { flag, kind, paths } of watcher) {
      if (flag === "rescan") lost()
      // The watcher reports our own reads, too.
      else if (kind !== "access") changed(paths)
    }
  }
  const end = () => {
    if (isOpen) lost()
  }
  follow().then(end, end)
  return () => {
    isOpen = false
    watcher.close()
  }
}

const deno: unknown = Reflect.get(globalThis, "Deno")

/** Opens a watcher; `undefined` on another runtime. */
export const openDenoWatcher: OpenDenoWatcher | undefined = hasWatch(deno) ? open(deno) : undefined
