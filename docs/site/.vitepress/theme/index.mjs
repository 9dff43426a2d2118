/** VitePress's theme with the search of the whole site in its bar. */
import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import "../../search.css";
import "./home.css";

const searchButton = () =>
  h("button", { type: "button", "data-search": "" }, [
    "Search",
    h("kbd", "Ctrl K"),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, { "nav-bar-content-before": searchButton }),
};
