import { defineConfig } from '@playwright/test';

// Started by `cargo xtask test`, which sets where the desk runs and which browser drives it.
export default defineConfig({
  testDir: './journeys',
  timeout: 180_000,
  expect: { timeout: 15_000 },
  workers: 1,
  outputDir: process.env.SCREENSHOTS ? `${process.env.SCREENSHOTS}/results` : './test-results',
  use: {
    baseURL: process.env.BASE_URL ?? 'http://127.0.0.1:3000',
    viewport: { width: 1440, height: 1000 },
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync',
      ],
    },
  },
});
