"""Results become Plotly figures and the tables that stand beside them. Pure functions."""
