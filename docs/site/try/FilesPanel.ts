/** Shows the files of the sandbox as a tree, with an editor, upload and download. */
import { errorMessage } from "../../../src/base/errorMessage.ts"
import type { PromiseSandbox } from "../../../src/sandbox/PromiseSandbox.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { byId } from "../../../src/console/page/dom.ts"

/** Names of one folder that are shown. */
const maxEntries = 500
/** Bytes of a file that is edited; a larger one can be downloaded. */
const maxEditedBytes = 1_048_576

const join = (folder: string, name: string): string => folder === "/" ? `/${name}` : `${folder}/${name}`

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return bytes.includes(0) ? undefined : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      bytes,
    )
  } catch {
    return undefined
  }
}

/** The files panel. */
export class FilesPanel {
  readonly #sandbox: PromiseSandbox
  readonly #tree = byId("tree", HTMLElement)
  readonly #text = byId("text", HTMLTextAreaElement)
  readonly #path = byId("path", HTMLInputElement)
  readonly #status = byId("status", HTMLElement)
  readonly #expanded: Set<string>

  constructor(sandbox: PromiseSandbox) {
    this.#sandbox = sandbox
    this.#expanded = new Set(["/", "/home", sandbox.cwd])
    byId("save", HTMLButtonElement).onclick = () => this.#do(() => this.#save())
    byId("download", HTMLButtonElement).onclick = () => this.#do(() => this.#download())
    byId("remove", HTMLButtonElement).onclick = () => this.#do(() => this.#remove())
    const upload = byId("upload", HTMLInputElement)
    upload.onchange = () => this.#do(() => this.#upload(upload))
    this.#text.onkeydown = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return
      event.preventDefault()
      this.#do(() => this.#save())
    }
    this.refresh()
  }

  /** Draws the tree again. */
  refresh(): void {
    this.#tree.replaceChildren(this.#folder("/"))
  }

  #do(work: () => Promise<string>): void {
    work().then((done) => {
      this.#status.textContent = done
      this.refresh()
    }, (error) => void (this.#status.textContent = errorMessage(error)))
  }

  #folder(path: string): HTMLUListElement {
    const list = document.createElement("ul")
    const { fileSystem } = this.#sandbox.service
    const folder = fileSystem.directory(fileSystem.root, path)
    const entries = typeof folder === "number" ? [] : fileSystem.list(folder)
    const found = typeof entries === "number" ? [] : entries
    for (const { name, type } of found.slice(0, maxEntries)) {
      const item = list.appendChild(document.createElement("li"))
      const at = join(path, name)
      const button = item.appendChild(document.createElement("button"))
      button.textContent = name
      button.title = at
      if (type !== FileType.directory) {
        button.onclick = () => this.#do(() => this.#open(at))
        continue
      }
      const isOpen = this.#expanded.has(at)
      button.setAttribute("aria-expanded", String(isOpen))
      button.onclick = () => {
        if (!this.#expanded.delete(at)) this.#expanded.add(at)
        this.refresh()
      }
      if (isOpen) item.append(this.#folder(at))
    }
    if (found.length > maxEntries) {
      list.appendChild(document.createElement("li")).textContent = `… ${found.length - maxEntries} more`
    }
    return list
  }

  async #open(path: string): Promise<string> {
    const { size, type } = await this.#sandbox.stat(path)
    this.#path.value = path
    const isShort = type === FileType.regularFile && size <= maxEditedBytes
    const text = isShort ? decode(await this.#sandbox.readFile(path, { maxBytes: maxEditedBytes })) : undefined
    this.#text.disabled = text === undefined
    this.#text.value = text ?? ""
    return text === undefined ? `${path}: no text, or more than 1 MiB; it can be downloaded` : path
  }

  async #save(): Promise<string> {
    if (this.#text.disabled) return "Only text can be saved here."
    await this.#sandbox.writeFile(this.#path.value, this.#text.value)
    return `Saved ${this.#path.value}.`
  }

  async #remove(): Promise<string> {
    await this.#sandbox.remove(this.#path.value)
    this.#text.value = ""
    return `Removed ${this.#path.value}.`
  }

  async #download(): Promise<string> {
    const bytes = await this.#sandbox.readFile(this.#path.value)
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([bytes.slice()]))
    link.download = this.#path.value.replace(/^.*\//, "")
    link.click()
    // The browser has taken the address by the next turn of the event loop.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
    return `Downloaded ${this.#path.value}.`
  }

  async #upload(input: HTMLInputElement): Promise<string> {
    const files = Array.from(input.files ?? [])
    for (const file of files) {
      await this.#sandbox.writeFile(
        join(this.#sandbox.cwd, file.name),
        new Uint8Array(await file.arrayBuffer()),
      )
    }
    input.value = ""
    return `Uploaded ${files.map(({ name }) => name).join(", ")} into ${this.#sandbox.cwd}.`
  }
}
