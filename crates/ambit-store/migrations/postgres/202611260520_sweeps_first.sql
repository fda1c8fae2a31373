-- Sweeps have a wave of their own before the other probes; transfers of zones are made with the words.
UPDATE work SET wave = wave + 1 WHERE wave >= 4 AND task NOT IN ('port_oracle', 'port_sweep', 'block_sweep');
UPDATE sweeps SET wave = wave + 1 WHERE wave >= 4 AND task NOT IN ('port_oracle', 'port_sweep', 'block_sweep');
UPDATE work SET wave = 1 WHERE task = 'zone_transfer';
UPDATE sweeps SET wave = 1 WHERE task = 'zone_transfer';
