"""Data sets packed into shards: tar files for webdataset, or Parquet files for Hugging Face."""
