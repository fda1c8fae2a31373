import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { chosenProject, Failure } from "./api/client";
import { projects, session } from "./api/session";
import { makeRouter } from "./router";
import "./style.css";

const queries: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // Whether the server answers is found out by asking: it may be on this very machine.
      networkMode: "always",
      // What is refused stays refused; a server that does not answer may come back.
      retry: (count, error) => count < 2 && !(error instanceof Failure && error.status >= 400 && error.status < 500),
    },
  },
  queryCache: new QueryCache({
    onError: (error, query) => {
      const over = error instanceof Failure && error.status === 401;
      if (over && query.queryKey[0] !== "session") queries.setQueryData(session.queryKey, null);
      // Perhaps it is the project that is not the caller's any more: the frame looks at the list.
      const absent = error instanceof Failure && error.status === 404;
      if (absent && chosenProject() !== null) void queries.invalidateQueries({ queryKey: projects.queryKey, exact: true });
    },
  }),
});

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has an element with the id root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={makeRouter(queries)} />
    </QueryClientProvider>
  </StrictMode>,
);
