import "./styles.css";

import { VueQueryPlugin } from "@tanstack/vue-query";
import { createApp } from "vue";

import { BASE_PATH } from "./api/basePath";
import App from "./App.vue";
import { i18n, preferredLanguage, speak } from "./locales";
import { queries } from "./queries";
import { fetchAhead, router } from "./router";

// Load everything the first page needs in parallel.
fetchAhead(router.resolve((location.pathname.slice(BASE_PATH.length) || "/") + location.search));
await speak(preferredLanguage());
createApp(App).use(i18n).use(VueQueryPlugin, { queryClient: queries }).use(router).mount("#app");
