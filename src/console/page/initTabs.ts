/** Connects the tabs of the page to their panels (ARIA Authoring Practices Guide, "Tabs pattern"). */

/** Makes `tab` elements switch between their panels. Returns the function that chooses a tab by its id. */
export const initTabs = (tablist: HTMLElement, onChoose: () => void): (id: string) => void => {
  const all = [...tablist.querySelectorAll<HTMLElement>('[role="tab"]')]
  const choose = (chosen: HTMLElement): void => {
    for (const tab of all) {
      const isChosen = tab === chosen
      tab.setAttribute("aria-selected", String(isChosen))
      tab.tabIndex = isChosen ? 0 : -1
      const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "")
      if (panel !== null) panel.hidden = !isChosen
    }
    onChoose()
  }
  tablist.addEventListener("click", (event) => {
    const tab = all.find((one) => one === event.target)
    if (tab !== undefined) choose(tab)
  })
  tablist.addEventListener("keydown", (event) => {
    const at = all.findIndex((tab) => tab === document.activeElement)
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    const next = step === 0 ? undefined : all[(at + step + all.length) % all.length]
    if (next === undefined) return
    event.preventDefault()
    next.focus()
    choose(next)
  })
  return (id) => {
    const tab = all.find((one) => one.id === id)
    if (tab !== undefined) choose(tab)
  }
}
